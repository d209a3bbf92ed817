import { withLongFileLock } from '../config/index.js';
import { type LoginFiles, openLoginFiles } from '../providers/mcp/index.js';
import { isRunning } from '../services/processes/is-running.js';

/** The logins of this operator, which several processes may renew at once. */
export function openLogins(stateDirectory: string): LoginFiles {
  return openLoginFiles(stateDirectory, (lock, work) => withLongFileLock(lock, work, isRunning));
}
