import { type Environment, openSourceReader, workflowHomes } from '../../config/index.js';
import {
  type FixedLibrary,
  type Library,
  type LibraryParts,
  openFixedLibrary,
  openLibrary,
} from '../../workflow/index.js';
import { locateConfig, openState } from '../locate-config.js';

export interface WorkflowPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly configFile?: string;
}

/** Where the workflows of a place are found. */
export async function openWorkflowLibrary(place: WorkflowPlace): Promise<Library> {
  return openLibrary(await libraryParts(place));
}

/** The same, for what has to be trusted: each file is read once. */
export async function openTrustedLibrary(place: WorkflowPlace): Promise<FixedLibrary> {
  return openFixedLibrary(await libraryParts(place));
}

async function libraryParts({ cwd, env, configFile }: WorkflowPlace): Promise<LibraryParts> {
  const state = openState(env);
  const { folder } = await locateConfig(
    { cwd, env, ...(configFile !== undefined && { configFile }) },
    state.trust,
  );
  const readSource = await openSourceReader();
  return { cwd, folders: [...new Set([cwd, folder])], homes: workflowHomes(env), readSource };
}
