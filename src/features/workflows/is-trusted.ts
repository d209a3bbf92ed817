import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { passingMs } from '../../ports/start-refusal.js';
import { bundleOf, type Library } from '../../workflow/index.js';
import { governingConfig } from '../../workspace/governing-config.js';
import { openState } from '../../workspace/locate-config.js';
import { createStartHolds } from '../../workspace/start-holds.js';
import { openTrustedLibrary, type WorkflowPlace } from '../../workspace/workflow-library.js';
import { hasChangedPart } from './changed-parts.js';

/** Whether the workflow and every file and program it uses are trusted. */
export function isTrustedWorkflow(file: string, library: Library, { env }: WorkflowPlace): boolean {
  const { trust } = openState(env);
  const record = trust.list().find((one) => one.file === resolve(file));
  // A checkout or an agent may have written these files: nothing is searched in them before they are known to be trusted.
  if (record === undefined || hasChangedPart(record.parts ?? {})) return false;
  const { sha256, unknown, unsafe } = bundleOf(file, library);
  return unknown.length === 0 && unsafe.length === 0 && trust.isTrusted(file, sha256);
}

/**
 * The same check on the current file contents, for a running workflow whose library is cached. Waits a while for commands
 * that could still change files which its steps run outside the sandbox.
 */
export async function isStillTrusted(file: string, place: WorkflowPlace): Promise<boolean> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (tries > 0) await setTimeout(passingMs);
    if ((await holdOfWorkflow(file, place)) !== undefined) continue;
    const isTrusted = isTrustedWorkflow(file, await openTrustedLibrary(place), place);
    // Check again: the command may have created a missing file.
    if (!isTrusted || (await holdOfWorkflow(file, place)) === undefined) return isTrusted;
  }
  return false;
}

const mostTries = 30;

/** Why a trusted workflow must not run yet, as a part of a sentence. */
export async function holdOfWorkflow(file: string, place: WorkflowPlace): Promise<string | undefined> {
  const state = openState(place.env);
  const { config } = await governingConfig(place, state.trust);
  const findHold = createStartHolds({ state, isLocked: () => config.workspace.isLocked !== false });
  return findHold((name) => name === file);
}
