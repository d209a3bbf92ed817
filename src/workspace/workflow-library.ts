import { type Environment, openSourceReader, workflowHomes } from '../config/index.js';
import {
  type FixedLibrary,
  type Library,
  type LibraryParts,
  openFixedLibrary,
  openLibrary,
} from '../workflow/index.js';
import { governingConfig } from './governing-config.js';
import { type Located, openState } from './locate-config.js';

export interface WorkflowPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly configFile?: string;
}

/** The workflows available in a folder. */
export async function openWorkflowLibrary(place: WorkflowPlace): Promise<Library> {
  return openLibrary(await libraryParts(place));
}

/** The same for trust checks: each file is read only once. */
export async function openTrustedLibrary(place: WorkflowPlace): Promise<FixedLibrary> {
  return openFixedLibrary(await libraryParts(place));
}

async function libraryParts({ cwd, env, configFile }: WorkflowPlace): Promise<LibraryParts> {
  const place = { cwd, env, ...(configFile !== undefined && { configFile }) };
  return libraryPartsOf(place, await governingConfig(place, openState(env).trust));
}

/** Where to find workflows, according to the configuration. */
export async function libraryPartsOf(
  { cwd, env }: Pick<WorkflowPlace, 'cwd' | 'env'>,
  { folder, config, isTrusted }: Located,
): Promise<LibraryParts> {
  const readSource = await openSourceReader();
  const folders = [...new Set([cwd, folder])];
  // Everything that agents can write.
  const roots = [...folders, ...config.workspace.roots, ...config.shell.writable];
  const { coverLines } = await import('../config/started/index.js');
  return {
    cwd,
    env,
    folders,
    homes: workflowHomes(env),
    roots,
    readSource,
    filesRunBy: (commands, from, isWide) => coverLines(commands, from, { roots, isWide }),
    unsandboxed: isTrusted ? config.unsandboxedWorkflows : [],
  };
}
