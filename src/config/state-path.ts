import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from './substitute.js';

/** The path of this user's state directory. `prepareStateDirectory` creates it. */
export function stateDirectory(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  const { TIDEGATE_HOME: own, XDG_STATE_HOME: shared, LOCALAPPDATA: local } = environment;
  if (own) return resolve(own);
  // The XDG specification says to ignore relative paths.
  if (shared !== undefined && isAbsolute(shared)) return join(shared, 'tidegate');
  const home = homeOf(environment, platform);
  if (platform === 'win32') return join(local || join(home, 'AppData', 'Local'), 'tidegate');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'tidegate');
  return join(home, '.local', 'state', 'tidegate');
}

export function homeOf(environment: Environment, platform: NodeJS.Platform): string {
  return (platform === 'win32' ? environment['USERPROFILE'] : environment['HOME']) || homedir();
}
