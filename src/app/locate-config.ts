import { homedir } from 'node:os';
import {
  type Config,
  defaultConfig,
  type Environment,
  findConfig,
  homeProblem,
  loadConfig,
  openTrust,
  operatorConfig,
  prepareStateDirectory,
  type Problem,
  stateDirectory,
  type Trust,
} from '../config/index.js';

export interface Located {
  readonly config: Config;
  readonly problems: readonly Problem[];
  readonly file?: string;
  readonly sha256?: string;
  /** Whether this very content was trusted by the operator. True where there is no file. */
  readonly isTrusted: boolean;
}

export interface Place {
  readonly cwd: string;
  readonly configFile?: string;
  readonly env: Environment;
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
  if (file === undefined) return { config: defaultConfig(place.cwd), problems: [], isTrusted: true };
  // The operator's own file speaks of every workspace: its default root is where we are.
  const workspace = own === undefined ? { workspace: place.cwd } : {};
  const { config, problems, sha256 } = await loadConfig({
    file,
    env: place.env,
    home: homedir(),
    ...workspace,
  });
  // One path for reading, asking and recording: a link may point elsewhere a moment later.
  const realPath = config.file ?? file;
  const isTrusted = trust.isTrusted(realPath, sha256);
  return { config, problems, file: realPath, isTrusted, ...(sha256 !== undefined && { sha256 }) };
}
