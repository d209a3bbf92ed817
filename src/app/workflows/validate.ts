import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { shippedProfiles } from '../../access/profiles/shipped.js';
import { findPolicy, loadProfiles } from '../../config/index.js';
import type { Plugins } from '../../kernel/index.js';
import { filesIn, type Validated, validateWorkflow } from '../../workflow/index.js';
import { locateConfig, openState } from '../locate-config.js';
import { openWorkflowLibrary, type WorkflowPlace } from './library.js';
import { withPluginsOf } from './plugins-of.js';

export interface ValidateWish extends WorkflowPlace {
  /** Files, folders and names. None: every workflow of the place. */
  readonly wanted: readonly string[];
  readonly isStrict: boolean;
  readonly skipsPlugins: boolean;
  readonly version: string;
  readonly signal: AbortSignal;
}

export interface ValidateAnswer {
  readonly results: readonly Validated[];
  /** What was named and is not there. */
  readonly missing: readonly string[];
}

/** Validates files, folders and names; starts nothing but plugins that are trusted. */
export function validateWorkflows(wish: ValidateWish): Promise<ValidateAnswer> {
  if (wish.skipsPlugins) return validateWith(wish, undefined);
  return withPluginsOf(wish, (plugins) => validateWith(wish, plugins));
}

async function validateWith(wish: ValidateWish, plugins: Plugins | undefined): Promise<ValidateAnswer> {
  const library = await openWorkflowLibrary(wish);
  const names = await gateNames(wish);
  const missing: string[] = [];
  const files = new Set<string>();
  if (wish.wanted.length === 0) for (const { file } of library.list()) files.add(file);
  for (const name of wish.wanted) {
    const path = resolve(wish.cwd, name);
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
        isStrict: wish.isStrict,
        env: wish.env,
        plugins,
        signal: wish.signal,
      }),
    );
  }
  return { results, missing };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** What agents may be given by name, as far as files say it. Nothing is opened. */
export async function gateNames({
  cwd,
  env,
  configFile,
}: WorkflowPlace): Promise<{ readonly profiles: readonly string[]; readonly servers: readonly string[] }> {
  const { trust } = openState(env);
  const place = { cwd, env, ...(configFile !== undefined && { configFile }) };
  const { config, file } = await locateConfig(place, trust);
  const directory = file === undefined ? cwd : dirname(file);
  const named = config.access.profiles ?? findPolicy({ directory }).profiles;
  const written = named === undefined ? [] : (await loadProfiles(named)).profiles;
  return {
    profiles: [...new Set([...shippedProfiles, ...written].map(({ name }) => name))],
    servers: config.servers.map(({ name }) => name),
  };
}
