import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugins } from '../../ports/plugins.js';
import { filesIn, type FindRivals, type Validated, validateWorkflow } from '../../workflow/index.js';
import { gatewayNames } from './gateway-names.js';
import { openWorkflowLibrary, type WorkflowPlace } from '../../workspace/workflow-library.js';
import { withPluginsOf } from './plugins-of.js';
import type { OpenTidegate } from '../../workspace/tidegate.js';

export interface ValidateOptions extends WorkflowPlace {
  /** Files, folders and names; all workflows if empty. */
  readonly wanted: readonly string[];
  readonly isStrict: boolean;
  readonly skipsPlugins: boolean;
  readonly version: string;
  readonly signal: AbortSignal;
}

export interface ValidateAnswer {
  readonly results: readonly Validated[];
  /** Named but not found. */
  readonly missing: readonly string[];
  /** Names of all available workflows. */
  readonly known: readonly string[];
}

/** Validates files, folders and names; starts trusted plugins, and trusted servers that may offer the same tool names. */
export function validateWorkflows(
  openTidegate: OpenTidegate,
  options: ValidateOptions,
): Promise<ValidateAnswer> {
  if (options.skipsPlugins) return validateWith(options, undefined);
  return withPluginsOf(openTidegate, options, (plugins, findRivals) =>
    validateWith(options, plugins, findRivals),
  );
}

async function validateWith(
  options: ValidateOptions,
  plugins: Plugins | undefined,
  findRivals?: FindRivals,
): Promise<ValidateAnswer> {
  const library = await openWorkflowLibrary(options);
  const names = await gatewayNames(options);
  const missing: string[] = [];
  const files = new Set<string>();
  if (options.wanted.length === 0) for (const { file } of library.list()) files.add(file);
  for (const name of options.wanted) {
    const path = resolve(options.cwd, name);
    const inside = isFolder(path) ? filesIn(path) : [];
    const file = inside.length > 0 ? undefined : isFolder(path) ? undefined : library.find(name);
    if (inside.length > 0) for (const one of inside) files.add(one);
    else if (file !== undefined) files.add(file);
    else missing.push(name);
  }
  const results: Validated[] = [];
  for (const file of files) {
    results.push(
      await validateWorkflow(file, {
        library,
        names,
        isStrict: options.isStrict,
        env: options.env,
        plugins,
        signal: options.signal,
        ...(findRivals && { findRivals }),
      }),
    );
  }
  return { results, missing, known: library.list().map(({ name }) => name) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
