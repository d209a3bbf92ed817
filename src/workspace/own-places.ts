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
import type { KnownPlace } from './known-places.js';
import { ownProgram } from './own-program.js';
import { storeFile } from './store-file.js';

export interface OwnPlacesParts {
  readonly config: Config;
  readonly env: Environment;
  /** The folder that contains `.tidegate/`. */
  readonly folder: string;
  /** Log file if the configuration names none. */
  readonly logFile?: string;
  /** Files of other gateways with this state folder. They may be in a root of this one. */
  readonly others?: readonly KnownPlace[];
}

/** All paths that belong to Tidegate, for file tools, search, the sandbox and doctor. Does not access the disk. */
export function ownPlaces({ config, env, folder, logFile, others = [] }: OwnPlacesParts): OwnPlaces {
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
    files: [...privateFiles(config, stateDir, logFile), ...others.flatMap(({ files }) => files)],
    outputRoots: others.flatMap((other) => other.roots),
    program: ownProgram(roots),
    governing: [
      ...(config.file === undefined ? [] : [config.file]),
      ...Object.values(named),
      ...configHomes(env),
      join(dataHome(env), 'tidegate'),
      ...others.flatMap((other) => other.governing),
    ],
    governingNames: [...namesIn(folders), ...others.flatMap((other) => other.governingNames)],
  };
}

/** What other gateways must treat as private. */
export function knownPlace({ config, env, folder, logFile }: OwnPlacesParts): KnownPlace {
  const { file, access, workspace } = config;
  const folders = [folder, ...(file === undefined ? [] : [dirname(file)])];
  return {
    folder,
    roots: workspace.roots,
    files: privateFiles(config, stateDirectory(env), logFile),
    governing: [file, access.profiles, access.model].filter((path) => path !== undefined),
    governingNames: namesIn([...new Set(folders)]),
  };
}

function namesIn(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => [
    ...configNames.map((name) => join(folder, name)),
    ...policyFiles({ directory: folder }),
    ...pluginLists(folder),
  ]);
}

/** If a root were inside the state directory, every file of the workspace would be private and unusable. */
export function stateAroundProblem(roots: readonly string[], stateDir: string): Problem | undefined {
  const around = roots.find((root) => isInState(root, stateDir));
  if (around === undefined) return undefined;
  const message = `The workspace root ${around} is inside the state directory ${stateDir}.`;
  return createProblem(around, '', { code: 'config.root_in_state', message });
}

/** An agent could replace the link and make us use a store that it prepared. */
export function linkProblem(parts: OwnPlacesParts): Problem | undefined {
  const places = ownPlaces(parts);
  // Agents of the other gateways can write to the roots of those gateways.
  const found = findShakyLink({ ...places, roots: [...places.roots, ...(places.outputRoots ?? [])] });
  if (found === undefined) return undefined;
  const { link, path } = found;
  const message = `The link ${link} is inside a workspace root and points to ${path}, which is private.`;
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
