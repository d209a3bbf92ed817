// The only file that knows postgres.js. Every wait ends: if the server does not respond, its connections are
// dropped.
import type postgres from 'postgres';
import { StoreError } from '../../access/ports/index.js';
import { isConnectionLoss, storeErrorOf } from './failures.js';
import { createSlots } from './slots.js';

/** Types that we parse differently from the driver: all our integers are safe integers. */
interface Types extends Record<string, unknown> {
  bigint: number;
}
export type Sql = postgres.Sql<Types>;
export type Transaction = postgres.TransactionSql<Types>;

export interface Clients {
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Run in one transaction, committed when the work resolves. */
  write<T>(work: (sql: Transaction) => Promise<T>): Promise<T>;
  /** Run in one transaction without a time limit: a migration may read and write every row. */
  migrate<T>(work: (sql: Transaction) => Promise<T>): Promise<T>;
  /** Listen until stopped; survives lost connections. */
  listen(hear: () => void): () => void;
  close(): Promise<void>;
}

const connectSeconds = 3;
const readMs = 5000;
const writeMs = 20_000;
const writers = 2;
const queueMs = 30_000;
/** Drop a server that is silent for this long; migrating millions of rows takes minutes. */
const longestMigrationMs = 6 * 3_600_000;
export const channel = 'tidegate';

/** Connects on first use. `place` names the server in errors. */
export async function createClients(url: string, place: string): Promise<Clients> {
  const { default: connect } = await import('postgres');
  const open = (max: number, backoff: number): Sql =>
    connect(url, {
      max,
      connect_timeout: connectSeconds,
      idle_timeout: 60,
      // A query fails at once, and the next one reconnects.
      backoff: () => backoff,
      // The driver would print notices to standard output, which belongs to the protocol.
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
  // Separate pools, so that waiting writers don't block readers.
  const reading = createPool(() => open(2, 0), { ms: readMs, place });
  const writing = createPool(() => open(writers, 0), { ms: writeMs, place });
  // The server's time limit starts only after the semaphore lets the write in.
  const queued = createSlots(writers, queueMs);
  const migrating = createPool(() => open(1, 0), { ms: longestMigrationMs, place });
  return {
    read: (work) => retryOnce(() => reading.run(work)),
    async write(work) {
      try {
        return await queued(() => writing.run((sql) => inTransaction(sql, work)));
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

/** The server may have closed an idle connection, so a read is retried once. */
async function retryOnce<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof StoreError && isConnectionLoss(error.cause)) return query();
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

/** Also without a lock timeout: a second process waits until the first has migrated. */
const unlimited =
  'set local lock_timeout = 0; set local statement_timeout = 0; set local synchronous_commit = on';

interface Pool {
  run<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

function createPool(open: () => Sql, { ms, place }: { readonly ms: number; readonly place: string }): Pool {
  let sql: Sql | undefined;
  let isClosed = false;
  const drop = (dead: Sql): void => {
    if (sql === dead) sql = undefined;
    // Drop queued queries: they must not run later, when no caller expects them.
    dead.end({ timeout: 0 }).catch(() => {});
  };
  return {
    async run(work) {
      if (isClosed) throw new StoreError('store.closed', `The store ${place} is closed.`);
      sql ??= open();
      const used = sql;
      try {
        return await within(ms, work(used), () => drop(used));
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

async function within<T>(ms: number, work: Promise<T>, drop: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      drop();
      reject(new Error(`no response within ${ms / 1000} seconds`));
    }, ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver reconnects after a loss. */
function listen(sql: Sql, hear: () => void): () => void {
  sql.listen(channel, hear, hear).catch(() => {
    // The watch also polls, so a failure here loses nothing.
  });
  return () => {
    sql.end({ timeout: 0 }).catch(() => {});
  };
}
