import { messageOf } from '../../lib/error-message.js';
import type { TrustRecord } from '../../config/index.js';
import { type Bundle, bundleOf, type Finding, planLines, validateWorkflow } from '../../workflow/index.js';
import { partsOf } from './changed-parts.js';
import { gatewayNames } from './gateway-names.js';
import { openTrustedLibrary, type WorkflowPlace } from '../../workspace/workflow-library.js';
import { withPluginsOf } from './plugins-of.js';
import type { OpenTidegate } from '../../workspace/tidegate.js';

export interface WorkflowToTrust {
  readonly file: string;
  /** Hash of the workflow and every file it uses. */
  readonly sha256: string;
  readonly files: readonly string[];
  /** What the trust record contains besides the hash: the files, and those to lock if commands leave the sandbox. */
  readonly lock: Partial<Pick<TrustRecord, 'covers' | 'guards' | 'parts'>>;
  /** Files whose names are only known at run time, and unreadable files. Any of them prevents trust. */
  readonly unknown: readonly string[];
  /** Reasons why the workflow must not be trusted. */
  readonly unsafe: readonly string[];
  readonly plan: readonly string[];
  /** Everything `validate` would report. */
  readonly findings: readonly Finding[];
  readonly isValid: boolean;
}

/** What an agent could run through this workflow, for the trust decision. */
export async function workflowToTrust(
  openTidegate: OpenTidegate,
  place: WorkflowPlace & { readonly version: string; readonly signal: AbortSignal },
  path: string,
): Promise<WorkflowToTrust | undefined> {
  const library = await openTrustedLibrary(place);
  const file = library.find(path);
  if (file === undefined) return undefined;
  const names = await gatewayNames(place);
  const { env, signal } = place;
  const { workflow, findings, isValid } = await withPluginsOf(openTidegate, place, (plugins) =>
    validateWorkflow(file, { library, names, isStrict: false, env, plugins, signal }),
  );
  const { sha256, files, unknown, unsafe, unsandboxed } = bundleOf(file, library);
  const { lock, problem } = await lockOf(unsandboxed, library.roots);
  const obstacles = problem === undefined ? unsafe : [...unsafe, problem];
  const plan = planLines(workflow, {}, library);
  const parts = partsOf(files, library.roots);
  return {
    file,
    sha256,
    files,
    lock: { ...lock, parts },
    unknown,
    unsafe: obstacles,
    plan,
    findings,
    isValid,
  };
}

interface Lock {
  readonly lock: WorkflowToTrust['lock'];
  readonly problem?: string;
}

/** In the sandbox commands reach no more than agents do, so nothing has to be locked for them. */
async function lockOf(run: Bundle['unsandboxed'], roots: readonly string[]): Promise<Lock> {
  if (run === undefined) return { lock: {} };
  const { lockRecordOf } = await import('../../config/started/index.js');
  const { files, guards = { fixed: [], absent: [] } } = run;
  try {
    return { lock: lockRecordOf({ files, guards }, roots) };
  } catch (error) {
    return { lock: {}, problem: messageOf(error) };
  }
}
