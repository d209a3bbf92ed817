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
  /** The folder whose `.tidegate/` is meant: that of the file; where we are, when that is the operator's own or none. */
  readonly folder: string;
  readonly sha256?: string;
  /** Whether this very content was trusted by the operator. True where there is no file. */
  readonly isTrusted: boolean;
}

export interface Place {
  readonly cwd: string;
  readonly configFile?: string;
  /** The folder that the named file speaks of, when that is not its own. */
  readonly folder?: string;
  readonly env: Environment;
  /** For those who read the file at each start, and therefore soon again. */
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

/** Finds and reads the configuration: the named file, the nearest one upwards, the operator's own, or defaults. */
export async function locateConfig(place: Place, trust: Trust): Promise<Located> {
  const own = place.configFile ?? findConfig(place.cwd);
  const file = own ?? operatorConfig(place.env);
  if (file === undefined)
    return { config: defaultConfig(place.cwd), problems: [], folder: place.cwd, isTrusted: true };
  // The operator's own file speaks of every workspace: its default root is where we are.
  const workspace = place.folder ?? (own === undefined ? place.cwd : undefined);
  const { config, problems, sha256 } = await loadConfig({
    file,
    env: place.env,
    secrets: openSecrets(stateDirectory(place.env)),
    home: homedir(),
    ...(workspace !== undefined && { workspace }),
    ...(place.shapes && { shapes: place.shapes }),
  });
  // One path for reading, asking and recording: a link may point elsewhere a moment later.
  const realPath = config.file ?? file;
  const isTrusted = trust.isTrusted(realPath, sha256);
  const folder = workspace ?? dirname(realPath);
  return { config, problems, file: realPath, folder, isTrusted, ...(sha256 !== undefined && { sha256 }) };
}
