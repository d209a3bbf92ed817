import { join } from 'node:path';

/** The folder of this user's sockets. */
export function socketHome(stateDirectory: string): string {
  return join(stateDirectory, 'sockets');
}
