import { storeErrorOf } from './failures.js';
import { type FileIdentity, requireStillThere } from './place.js';

export type Cell = string | number | null;
export type Row = readonly unknown[];

/** A prepared statement. Every call resets it, so that it holds no snapshot. */
export interface Query {
  first(...values: readonly Cell[]): Row | undefined;
  all(...values: readonly Cell[]): readonly Row[];
  /** Returns the number of changed rows. */
  run(...values: readonly Cell[]): number;
}

export interface Connection {
  prepare(sql: string): Query;
  exec(sql: string): void;
  /** Returns the first cell of the result. */
  pragma(words: string): unknown;
  /** Roll back an open transaction, if there is one. */
  abandon(): void;
  close(): void;
}

export interface ConnectionOptions {
  readonly file: string;
  readonly identity: FileIdentity;
  /** How long SQLite may block this thread while another connection holds the lock. */
  readonly busyMs: number;
}

export async function openConnection({ file, identity, busyMs }: ConnectionOptions): Promise<Connection> {
  const { default: Database } = await import('libsql');
  let database;
  try {
    database = new Database(file, { timeout: busyMs });
  } catch (error) {
    throw storeErrorOf(error, file);
  }
  const opened = database;
  try {
    // Opening creates a missing file, and the first statement on an empty one deletes the log beside it.
    requireStillThere(file, identity);
  } catch (error) {
    opened.close();
    throw error;
  }
  // The library frees a statement only on garbage collection, so prepare each one once.
  const known = new Map<string, Query>();
  const prepare = (sql: string): Query => {
    const query = known.get(sql) ?? prepareNew(sql);
    known.set(sql, query);
    return query;
  };
  const prepareNew = (sql: string): Query => {
    // Read rows as arrays: row objects have an extra key.
    const prepared = opened.prepare(sql);
    const statement = prepared.reader ? prepared.raw() : prepared;
    return {
      first: (...values) => rowOf(statement.get(...values)),
      all: (...values) => statement.all(...values).filter((row) => Array.isArray(row)),
      run: (...values) => statement.run(...values).changes,
    };
  };
  return {
    prepare,
    exec: (sql) => void opened.exec(sql),
    pragma: (words) => prepare(`pragma ${words}`).first()?.[0],
    abandon() {
      if (opened.inTransaction) opened.exec('rollback');
    },
    close: () => void opened.close(),
  };
}

function rowOf(row: unknown): Row | undefined {
  return Array.isArray(row) ? row : undefined;
}
