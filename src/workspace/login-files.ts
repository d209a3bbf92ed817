import { withLongFileLock } from '../config/index.js';
import { type LoginFiles, openLoginFiles } from '../providers/mcp/index.js';
import { isRunning } from '../lib/is-running.js';

/** The operator's logins; several processes may renew them at once, so they are locked. */
export function openLogins(stateDirectory: string): LoginFiles {
  return openLoginFiles(stateDirectory, (lock, work) => withLongFileLock(lock, work, isRunning));
}
