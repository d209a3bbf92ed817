import { type Environment, openSourceReader, workflowHomes } from '../../config/index.js';
import { type Library, openLibrary } from '../../workflow/index.js';
import { locateConfig, openState } from '../locate-config.js';

export interface WorkflowPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly configFile?: string;
}

/** Where the workflows of a place are found. */
export async function openWorkflowLibrary({ cwd, env, configFile }: WorkflowPlace): Promise<Library> {
  const state = openState(env);
  const { folder } = await locateConfig(
    { cwd, env, ...(configFile !== undefined && { configFile }) },
    state.trust,
  );
  const readSource = await openSourceReader();
  return openLibrary({ cwd, folders: [...new Set([cwd, folder])], homes: workflowHomes(env), readSource });
}
