import { statSync } from 'node:fs';
import { numberOf } from '../cells.js';
import { storeErrorOf } from './failures.js';
import { openReadConnection } from './reader.js';
import { schemaVersion } from './schema.js';
import { requireKnownVersion, schemaVersionOf } from './version.js';

/** A store as somebody sees it who only looks. */
export interface SqliteState {
  /** The schema of the file, and the newest that this program knows. */
  readonly version: number;
  readonly known: number;
  /** Undefined: it is too large to be looked through while somebody waits. */
  readonly isWhole: boolean | undefined;
  /** How many records of calls and changes there are. */
  readonly records: number;
}

const largestLookedThrough = 256 * 1024 * 1024;

/** Looks at a file that is there, and changes nothing of it. Rejects with a `StoreError`. */
export async function inspectSqlite(file: string): Promise<SqliteState> {
  try {
    const connection = await openReadConnection(file);
    try {
      connection.exec('pragma query_only = 1');
      const version = schemaVersionOf(connection, file);
      requireKnownVersion(version, connection, file);
      const isSmall = statSync(file).size <= largestLookedThrough;
      const isWhole = isSmall ? connection.pragma('quick_check(1)') === 'ok' : undefined;
      const counted =
        version === 0 ? 0 : connection.prepare('select coalesce(max(seq), 0) from audit').first()?.[0];
      return { version, known: schemaVersion, isWhole, records: numberOf(counted ?? 0) };
    } finally {
      connection.close();
    }
  } catch (error) {
    throw storeErrorOf(error, file);
  }
}
