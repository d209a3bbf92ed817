import { bundleOf, type Library } from '../../workflow/index.js';
import { openState } from '../../workspace/locate-config.js';
import { openTrustedLibrary, type WorkflowPlace } from '../../workspace/workflow-library.js';

/** Whether the workflow and every file and program it uses are trusted. */
export function isTrustedWorkflow(file: string, library: Library, { env }: WorkflowPlace): boolean {
  const { sha256, unknown, unsafe } = bundleOf(file, library);
  return unknown.length === 0 && unsafe.length === 0 && openState(env).trust.isTrusted(file, sha256);
}

/** The same check on the current file contents, for a running workflow whose library is cached. */
export async function isStillTrusted(file: string, place: WorkflowPlace): Promise<boolean> {
  return isTrustedWorkflow(file, await openTrustedLibrary(place), place);
}
