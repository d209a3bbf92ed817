import { type Connection, openConnection } from '../../src/stores/sqlite/connection.js';
import { preparePlace } from '../../src/stores/sqlite/place.js';

/** Opens a store file directly, and creates it if it is missing. */
export function openStoreFile(file: string, busyMs: number): Promise<Connection> {
  return openConnection({ file, identity: preparePlace(file), busyMs });
}
