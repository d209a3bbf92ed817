// The only file that knows postgres.js. Every wait ends: when the server does not answer, the connections are given up.
import type postgres from 'postgres';
import { StoreError } from '../../access/ports/index.js';
import { isConnectionLoss, storeErrorOf } from './failures.js';
import { createSlots } from './slots.js';

/** Types that are read otherwise than the driver would: all our whole numbers are safe ones. */
interface Types extends Record<string, unknown> {
  bigint: number;
}
export type Sql = postgres.Sql<Types>;
export type Transaction = postgres.TransactionSql<Types>;

export interface Clients {
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** In one transaction, kept when it resolves. */
  write<T>(work: (sql: Transaction) => Promise<T>): Promise<T>;
  /** In one transaction that may take as long as it needs: a new schema reads and writes every row. */
  migrate<T>(work: (sql: Transaction) => Promise<T>): Promise<T>;
  /** Until it is stopped, over all losses of the connection. */
  listen(hear: () => void): () => void;
  close(): Promise<void>;
}

const connectSeconds = 3;
const readMs = 5000;
const writeMs = 20_000;
const writers = 2;
const turnMs = 30_000;
/** A server that says nothing for so long is given up; millions of rows take minutes. */
const longestMigrationMs = 6 * 3_600_000;
export const channel = 'tidegate';

/** Connects when it is asked for something. `place` names the server in errors. */
export async function createClients(url: string, place: string): Promise<Clients> {
  const { default: connect } = await import('postgres');
  const open = (max: number, backoff: number): Sql =>
    connect(url, {
      max,
      connect_timeout: connectSeconds,
      idle_timeout: 60,
      // Whoever asks is told at once, and the next one who asks tries again.
      backoff: () => backoff,
      // It would print notices to standard output, which belongs to the protocol.
      onnotice: () => {},
      fetch_types: false,
      types: {
        bigint: {
          to: 20,
          from: [20],
          parse: (text: string) => Number(text),
          serialize: (value: number) => String(value),
        },
      },
      connection: { application_name: 'tidegate' },
    });
  // Apart, so that writers who wait for each other keep no reader waiting.
  const reading = createPool(() => open(2, 0), { ms: readMs, place });
  const writing = createPool(() => open(writers, 0), { ms: writeMs, place });
  // Whoever waits for his turn is not yet waiting for the server.
  const inTurn = createSlots(writers, turnMs);
  const migrating = createPool(() => open(1, 0), { ms: longestMigrationMs, place });
  return {
    read: (work) => twice(() => reading.run(work)),
    async write(work) {
      try {
        return await inTurn(() => writing.run((sql) => inTransaction(sql, work)));
      } catch (error) {
        throw storeErrorOf(error, place);
      }
    },
    migrate: (work) => migrating.run((sql) => inTransaction(sql, work, unlimited)),
    listen: (hear) => listen(open(1, 1), hear),
    async close() {
      await Promise.all([reading.close(), writing.close(), migrating.close()]);
    },
  };
}

/** A connection that was idle may have been closed by the other side long ago: who only reads may ask again, once. */
async function twice<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StoreError && isConnectionLoss(error.cause)) return ask();
    throw error;
  }
}

async function inTransaction<T>(
  sql: Sql,
  work: (sql: Transaction) => Promise<T>,
  settings = limited,
): Promise<T> {
  const results: T[] = [];
  await sql.begin(async (transaction) => {
    const [, result] = await Promise.all([transaction.unsafe(settings).execute(), work(transaction)]);
    results.push(result);
  });
  const [result] = results;
  return result as T;
}

const limited =
  "set local lock_timeout = '10s'; set local statement_timeout = '15s'; set local synchronous_commit = on";

/** Also for the lock: a second program waits until the first has migrated. */
const unlimited =
  'set local lock_timeout = 0; set local statement_timeout = 0; set local synchronous_commit = on';

interface Pool {
  run<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

function createPool(open: () => Sql, { ms, place }: { readonly ms: number; readonly place: string }): Pool {
  let sql: Sql | undefined;
  let isClosed = false;
  const giveUp = (dead: Sql): void => {
    if (sql === dead) sql = undefined;
    // What still waits in it must not be done later, when nobody expects it any more.
    dead.end({ timeout: 0 }).catch(() => {});
  };
  return {
    async run(work) {
      if (isClosed) throw new StoreError('store.closed', `The store ${place} is closed.`);
      sql ??= open();
      const used = sql;
      try {
        return await within(ms, work(used), () => giveUp(used));
      } catch (error) {
        throw storeErrorOf(error, place);
      }
    },
    async close() {
      isClosed = true;
      await sql?.end({ timeout: connectSeconds });
    },
  };
}

async function within<T>(ms: number, work: Promise<T>, giveUp: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      giveUp();
      reject(new Error(`no answer within ${ms / 1000} seconds`));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver listens again by itself after a loss. */
function listen(sql: Sql, hear: () => void): () => void {
  sql.listen(channel, hear, hear).catch(() => {
    // Whoever listens also looks for himself now and then.
  });
  return () => {
    sql.end({ timeout: 0 }).catch(() => {});
  };
}
