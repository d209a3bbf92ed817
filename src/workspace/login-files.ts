import { type LoginFiles, openLoginFiles } from '../providers/mcp/index.js';
import { withAsyncFileLock } from '../lib/file-lock.js';

/** The operator's logins; several processes may renew them at once, so they are locked. */
export function openLogins(stateDirectory: string): LoginFiles {
  return openLoginFiles(stateDirectory, withAsyncFileLock);
}
