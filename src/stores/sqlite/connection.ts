import { storeErrorOf } from './failures.js';
import { type FileIdentity, requireStillThere } from './place.js';

export type Cell = string | number | null;
export type Row = readonly unknown[];

/** A prepared statement. Every call ends it, so that it holds no snapshot. */
export interface Query {
  first(...values: readonly Cell[]): Row | undefined;
  all(...values: readonly Cell[]): readonly Row[];
  /** How many rows it changed. */
  run(...values: readonly Cell[]): number;
}

export interface Connection {
  prepare(sql: string): Query;
  exec(sql: string): void;
  /** The first cell of the answer. */
  pragma(words: string): unknown;
  /** Takes back what is not committed, if there is anything. */
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
  // A statement is given back only when it is collected, so each is prepared once. There are as many as we have sentences.
  const known = new Map<string, Query>();
  const prepare = (sql: string): Query => {
    const query = known.get(sql) ?? prepareNew(sql);
    known.set(sql, query);
    return query;
  };
  const prepareNew = (sql: string): Query => {
    // Rows as arrays: as objects they would have one more key than columns.
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
