import { bundleOf, type Finding, planLines, validateWorkflow } from '../../workflow/index.js';
import { gateNames } from './gate-names.js';
import { openTrustedLibrary, type WorkflowPlace } from './library.js';
import { withPluginsOf } from './plugins-of.js';

export interface WorkflowToTrust {
  readonly file: string;
  /** Over the workflow and every file that it uses. */
  readonly sha256: string;
  readonly files: readonly string[];
  /** Names of files that only a run works out, and files that cannot be read. With any, it cannot be trusted. */
  readonly unknown: readonly string[];
  readonly plan: readonly string[];
  /** All that `validate` would say of it. */
  readonly findings: readonly Finding[];
  readonly isValid: boolean;
}

/** What an agent could have run by a workflow, for a person who decides whether it may. */
export async function workflowToTrust(
  place: WorkflowPlace & { readonly version: string; readonly signal: AbortSignal },
  path: string,
): Promise<WorkflowToTrust | undefined> {
  const library = await openTrustedLibrary(place);
  const file = library.find(path);
  if (file === undefined) return undefined;
  const names = await gateNames(place);
  const { env, signal } = place;
  const { workflow, findings, isValid } = await withPluginsOf(place, (plugins) =>
    validateWorkflow(file, { library, names, isStrict: false, env, plugins, signal }),
  );
  const { sha256, files, unknown } = bundleOf(file, library);
  return { file, sha256, files, unknown, plan: planLines(workflow, {}, library), findings, isValid };
}
