import { resolve } from 'node:path';
import { bundleOf, type Library } from '../../workflow/index.js';
import { openState } from '../../workspace/locate-config.js';
import { hasChangedPart } from './changed-parts.js';
import { openTrustedLibrary, type WorkflowPlace } from '../../workspace/workflow-library.js';

/** Whether the workflow and every file and program it uses are trusted. */
export function isTrustedWorkflow(file: string, library: Library, { env }: WorkflowPlace): boolean {
  const { trust } = openState(env);
  const record = trust.list().find((one) => one.file === resolve(file));
  // A checkout or an agent may have written these files: nothing is searched in them before they are known to be trusted.
  if (record === undefined || hasChangedPart(record.parts ?? {})) return false;
  const { sha256, unknown, unsafe } = bundleOf(file, library);
  return unknown.length === 0 && unsafe.length === 0 && trust.isTrusted(file, sha256);
}

/** The same check on the current file contents, for a running workflow whose library is cached. */
export async function isStillTrusted(file: string, place: WorkflowPlace): Promise<boolean> {
  return isTrustedWorkflow(file, await openTrustedLibrary(place), place);
}
