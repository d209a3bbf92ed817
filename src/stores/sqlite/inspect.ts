import { statSync } from 'node:fs';
import type { ZoneHead } from '../../access/ports/index.js';
import { numberOf, textOf } from '../cells.js';
import type { Connection } from './connection.js';
import { storeErrorOf } from './failures.js';
import { identifyPlace } from './place.js';
import { openReadConnection } from './reader.js';
import { schemaVersion } from './schema.js';
import { requireKnownVersion, schemaVersionOf } from './version.js';

/** The state of a store, read without changing it. */
export interface SqliteState {
  /** The schema of the file, and the newest one this program knows. */
  readonly version: number;
  readonly newest: number;
  /** Undefined: the file is too large to check in reasonable time. */
  readonly isWhole: boolean | undefined;
  /** The number of audit records. */
  readonly records: number;
  /** The head of every zone. */
  readonly heads: ReadonlyMap<string, ZoneHead>;
}

const largestChecked = 256 * 1024 * 1024;

/** Inspect an existing file without changing it. Rejects with a `StoreError`. */
export async function inspectSqlite(file: string): Promise<SqliteState> {
  try {
    const connection = await openReadConnection(file, identifyPlace(file));
    try {
      connection.exec('pragma query_only = 1');
      const version = schemaVersionOf(connection, file);
      requireKnownVersion(version, connection, file);
      const isSmall = statSync(file).size <= largestChecked;
      const isWhole = isSmall ? connection.pragma('quick_check(1)') === 'ok' : undefined;
      const counted =
        version === 0 ? 0 : connection.prepare('select coalesce(max(seq), 0) from audit').first()?.[0];
      return {
        version,
        newest: schemaVersion,
        isWhole,
        records: numberOf(counted ?? 0),
        heads: headsIn(connection, version),
      };
    } finally {
      connection.close();
    }
  } catch (error) {
    throw storeErrorOf(error, file);
  }
}

/** Zones have no origin before schema 3. */
function headsIn(connection: Connection, version: number): ReadonlyMap<string, ZoneHead> {
  if (version < 3) return new Map();
  const rows = connection.prepare('select name, revision, history, origin from zones').all();
  return new Map(
    rows.map(([name, revision, history, origin]) => [
      textOf(name),
      { revision: numberOf(revision), history: textOf(history), origin: textOf(origin) },
    ]),
  );
}
