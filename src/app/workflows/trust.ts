import { bundleOf, planLines } from '../../workflow/index.js';
import { openWorkflowLibrary, type WorkflowPlace } from './library.js';

export interface WorkflowToTrust {
  readonly file: string;
  /** Over the workflow and every file that it uses. */
  readonly sha256: string;
  readonly files: readonly string[];
  /** Names of files that only a run works out. With any, it cannot be trusted. */
  readonly unknown: readonly string[];
  readonly plan: readonly string[];
  readonly hasErrors: boolean;
}

/** What an agent could have run by a workflow, for a person who decides whether it may. */
export async function workflowToTrust(
  place: WorkflowPlace,
  path: string,
): Promise<WorkflowToTrust | undefined> {
  const library = await openWorkflowLibrary(place);
  const file = library.find(path);
  if (file === undefined) return undefined;
  const { workflow, findings } = library.load(file);
  const { sha256, files, unknown } = bundleOf(file, library);
  return {
    file,
    sha256,
    files,
    unknown,
    plan: planLines(workflow, {}),
    hasErrors: findings.some(({ severity }) => severity === 'error'),
  };
}
