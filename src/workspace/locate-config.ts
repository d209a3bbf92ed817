import { homedir } from 'node:os';
import { dirname } from 'node:path';
import {
  type Config,
  defaultConfig,
  type Environment,
  findConfig,
  homeProblem,
  loadConfig,
  openSecrets,
  openTrust,
  operatorConfig,
  ownName,
  prepareStateDirectory,
  type Problem,
  type ShapeMemory,
  stateDirectory,
  type Trust,
} from '../config/index.js';

export interface Located {
  readonly config: Config;
  readonly problems: readonly Problem[];
  readonly file?: string;
  /** The folder that contains `.tidegate/`: the file's folder, or the current one (no file, or the operator's file). */
  readonly folder: string;
  readonly sha256?: string;
  /** The link to the file, if any. It needs trust too, because it selects the file. */
  readonly link?: string;
  /** Whether the operator trusted exactly this content. True if there is no file. */
  readonly isTrusted: boolean;
}

export interface Place {
  readonly cwd: string;
  readonly configFile?: string;
  /** The folder the file applies to, if it is not the file's own folder. */
  readonly folder?: string;
  readonly env: Environment;
  /** Cache of parsed files, for processes that start often. */
  readonly shapes?: ShapeMemory;
}

export interface State {
  readonly directory: string;
  readonly trust: Trust;
  readonly problem: Problem | undefined;
}

export function openState(env: Environment): State {
  const directory = stateDirectory(env);
  const problem = homeProblem(env) ?? prepareStateDirectory(directory);
  return { directory, problem, trust: openTrust(directory) };
}

/** Finds and reads the configuration: the named file, the nearest one upwards, the operator's file, or defaults. */
export async function locateConfig(place: Place, trust: Trust): Promise<Located> {
  const own = place.configFile ?? findConfig(place.cwd);
  const file = own ?? operatorConfig(place.env);
  if (file === undefined)
    return { config: defaultConfig(place.cwd), problems: [], folder: place.cwd, isTrusted: true };
  // The operator's file applies to every workspace, so its default root is the current folder.
  const workspace = place.folder ?? (own === undefined ? place.cwd : undefined);
  const { config, problems, sha256 } = await loadConfig({
    file,
    env: place.env,
    secrets: openSecrets(stateDirectory(place.env)),
    home: homedir(),
    ...(workspace !== undefined && { workspace }),
    ...(place.shapes && { shapes: place.shapes }),
  });
  // Use one resolved path for reading and trust: a link may change meanwhile.
  const realPath = config.file ?? file;
  const link = linkAt(file, realPath);
  const isTrusted =
    trust.isTrusted(realPath, sha256) && (link === undefined || trust.isTrusted(link, sha256));
  const folder = workspace ?? dirname(realPath);
  return {
    config,
    problems,
    file: realPath,
    folder,
    isTrusted,
    ...(link !== undefined && { link }),
    ...(sha256 !== undefined && { sha256 }),
  };
}

function linkAt(file: string, realPath: string): string | undefined {
  const own = ownName(file);
  return own === realPath ? undefined : own;
}
