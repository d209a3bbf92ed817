import { join } from 'node:path';

/** Where the sockets of this user's gates stand. */
export function socketHome(stateDirectory: string): string {
  return join(stateDirectory, 'sockets');
}
