import { realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import {
  type Config,
  configHomes,
  configNames,
  createProblem,
  dataHome,
  type Environment,
  pluginLists,
  policyFiles,
  type Problem,
  stateDirectory,
} from '../config/index.js';
import { findShakyLink, type OwnPlaces, type PrivateFile } from '../services/own-paths/index.js';
import { ownProgram } from './own-program.js';
import { storeFile } from './store-file.js';

export interface OwnPlacesParts {
  readonly config: Config;
  readonly env: Environment;
  /** The folder whose `.tidegate/` is meant. */
  readonly folder: string;
  /** Where the log goes when the configuration names no file. */
  readonly logFile?: string;
}

/** The one list of what is ours, for file tools, search, the sandbox and doctor. Says names only; looks at nothing. */
export function ownPlaces({ config, env, folder, logFile }: OwnPlacesParts): OwnPlaces {
  const { roots } = config.workspace;
  const stateDir = stateDirectory(env);
  const { profiles, model } = config.access;
  const named = { ...(profiles !== undefined && { profiles }), ...(model !== undefined && { model }) };
  const folders = [
    ...new Set([folder, ...roots, ...(config.file === undefined ? [] : [dirname(config.file)])]),
  ];
  return {
    roots,
    stateDir,
    otherStateDirs: [
      stateDirectory({ ...env, TIDEGATE_HOME: undefined }),
      stateDirectory({ ...env, TIDEGATE_HOME: undefined, XDG_STATE_HOME: undefined }),
    ],
    files: privateFiles(config, stateDir, logFile),
    program: ownProgram(roots),
    governing: [
      ...(config.file === undefined ? [] : [config.file]),
      ...Object.values(named),
      ...configHomes(env),
      join(dataHome(env), 'tidegate'),
    ],
    governingNames: folders.flatMap((one) => [
      ...configNames.map((name) => join(one, name)),
      ...policyFiles({ directory: one }),
      ...pluginLists(one),
    ]),
  };
}

/** With a root inside the state directory every file of the workspace would be private: nothing could be worked on. */
export function stateAroundProblem(roots: readonly string[], stateDir: string): Problem | undefined {
  const around = roots.find((root) => isInState(root, stateDir));
  if (around === undefined) return undefined;
  const message = `The workspace root ${around} lies inside the state directory ${stateDir}.`;
  return createProblem(around, '', { code: 'config.root_in_state', message });
}

/** An agent could exchange the link, and so put a prepared store in the place of ours. */
export function linkProblem(parts: OwnPlacesParts): Problem | undefined {
  const found = findShakyLink(ownPlaces(parts));
  if (found === undefined) return undefined;
  const { link, path } = found;
  const message = `The link ${link} lies inside a workspace root and leads to ${path}, which is private.`;
  return createProblem(link, '', { code: 'config.link_in_root', message });
}

function isInState(root: string, stateDir: string): boolean {
  const [inner, outer] = [realOr(root), realOr(stateDir)];
  return inner === outer || inner.startsWith(outer + sep);
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function privateFiles(
  { store, log }: Config,
  stateDir: string,
  logFile: string | undefined,
): readonly PrivateFile[] {
  const file = log.file ?? logFile;
  return [
    ...(store.kind === 'sqlite' ? [{ kind: 'store', path: storeFile(store, stateDir) } as const] : []),
    ...(file === undefined ? [] : [{ kind: 'log', path: file } as const]),
  ];
}
