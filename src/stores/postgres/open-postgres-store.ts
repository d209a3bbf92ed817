import { type AccessStore, StoreError, type TokenRecord, type ZoneHead } from '../../access/ports/index.js';
import type { StoreLog } from '../log.js';
import { requireStorable, requireStorableWrite } from '../words.js';
import { type Clients, createClients, type Sql, type Transaction } from './clients.js';
import { createCoalescer } from './coalesce.js';
import { isWithoutSchema, storeErrorOf } from './failures.js';
import { createGrantBatches } from './grant-batches.js';
import { migrate } from './migrate.js';
import {
  countAudit,
  findTokens,
  readAllHistories,
  readAudit,
  readChanges,
  readGrants,
  readHeads,
  readTime,
  readTokens,
} from './reads.js';
import { addToken, appendAudit, pruneAudit, revokeToken, touchTokens, writeAllGrants } from './writes.js';
import { createZoneWatch } from './zone-watch.js';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=verify-full` */
  readonly url: string;
  readonly log?: StoreLog;
}

/**
 * Opens also when the server cannot be reached: then every question is answered with `store.unavailable` until it can.
 * Rejects for what waiting does not mend, such as a newer schema.
 */
export async function openPostgresStore({ url, log = () => {} }: PostgresStoreOptions): Promise<AccessStore> {
  const place = placeOf(url);
  const clients = await createClients(url, place);
  const desk = createDesk(clients, place, log);
  try {
    await desk.ready();
  } catch (error) {
    const failure = storeErrorOf(error, place);
    if (failure.code !== 'store.unavailable') {
      await clients.close();
      throw failure;
    }
    log('warn', 'the store cannot be reached yet', { reason: failure.message });
  }
  return storeOf(clients, desk, place);
}

const mostUnderWay = 10_000;
/** How long a question waits for the schema. */
const patienceMs = 10_000;

/** Everything goes to tables that are there: the first to reach the server makes them. */
interface Desk {
  readonly ready: () => Promise<void>;
  readonly read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  readonly write: <T>(work: (sql: Transaction) => Promise<T>) => Promise<T>;
  /** Resolves when everything that was begun has ended. */
  readonly settled: () => Promise<void>;
}

function createDesk(clients: Clients, place: string, log: StoreLog): Desk {
  let migrated: Promise<void> | undefined;
  const ready = async (): Promise<void> => {
    migrated ??= migrate(clients, { place, program: __TIDEGATE_VERSION__, log });
    const current = migrated;
    try {
      await current;
    } catch (error) {
      if (migrated === current) migrated = undefined;
      throw error;
    }
  };
  const underWay = new Set<Promise<unknown>>();
  const whenReady = async <T>(work: () => Promise<T>): Promise<T> => {
    await readySoon(ready(), place);
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError && isWithoutSchema(error.cause)) migrated = undefined;
      throw error;
    }
  };
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (underWay.size >= mostUnderWay)
      throw new StoreError('store.unavailable', `${mostUnderWay} questions wait for the store ${place}.`);
    const running = whenReady(work);
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };
  return {
    ready,
    settled: async () => {
      await Promise.allSettled(underWay);
    },
    read: (work) => guarded(() => clients.read(work)),
    write: (work) => guarded(() => clients.write(work)),
  };
}

/** A question does not wait for a migration that takes minutes: it is refused, and can be asked again. */
async function readySoon(ready: Promise<void>, place: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `The store ${place} is being upgraded to a new schema. Try again in a while.`;
    timer = setTimeout(() => reject(new StoreError('store.unavailable', message)), patienceMs);
    timer.unref();
  });
  try {
    await Promise.race([ready, late]);
  } finally {
    clearTimeout(timer);
  }
}

function storeOf(clients: Clients, { read, write, settled }: Desk, place: string): AccessStore {
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed) throw new StoreError('store.closed', `The store ${place} is closed.`);
  };
  const headOf = createCoalescer(async (zones) => {
    const found = await read((sql) => readHeads(sql, zones, place));
    return (zone): ZoneHead => found.get(zone) ?? { revision: 0, history: '', origin: '' };
  });
  // One question for many: whoever sends made-up tokens must not keep everyone waiting behind a question for each.
  const finderOf = (by: 'id' | 'hash'): ((key: string) => Promise<TokenRecord | undefined>) =>
    createCoalescer(async (keys) => {
      const found = await read((sql) => findTokens(sql, by, keys.filter(isPlain)));
      return (key): TokenRecord | undefined => found.get(key);
    });
  const [tokenById, tokenByHash] = [finderOf('id'), finderOf('hash')];
  const batches = createGrantBatches((changes) => write((sql) => writeAllGrants(sql, changes, place)));
  const watch = createZoneWatch({
    look: () => read(readAllHistories),
    listen: (hear) => clients.listen(hear),
  });
  return {
    kind: 'postgres',
    async head(zone) {
      requireOpen();
      return headOf(zone);
    },
    async time() {
      requireOpen();
      return read(readTime);
    },
    onChange(listener) {
      requireOpen();
      return watch.add(listener);
    },
    async changes(zone, from) {
      requireOpen();
      return read((sql) => readChanges(sql, { zone, from, place }));
    },
    async write(change) {
      requireOpen();
      requireStorableWrite(change);
      return batches.write(change);
    },
    async grants(zone, filter = {}) {
      requireOpen();
      return read((sql) => readGrants(sql, zone, filter));
    },
    async findToken(hash) {
      requireOpen();
      return tokenByHash(hash);
    },
    async token(id) {
      requireOpen();
      return tokenById(id);
    },
    async addToken(token, record, expected) {
      requireOpen();
      const { id, zone, hash } = token;
      requireStorable({ id, zone, hash });
      return write((sql) => addToken(sql, token, { record, place, expected }));
    },
    async revokeToken(zone, id, at, record, expected) {
      requireOpen();
      return write((sql) => revokeToken(sql, { zone, id, at, record, expected }, place));
    },
    async tokens(zone) {
      requireOpen();
      return read((sql) => readTokens(sql, zone));
    },
    async touchTokens(uses) {
      requireOpen();
      return write((sql) => touchTokens(sql, uses));
    },
    async appendAudit(records) {
      requireOpen();
      const kept = records.map((record) => ({ record }));
      return write((sql) => appendAudit(sql, kept));
    },
    async audit(filter) {
      requireOpen();
      return read((sql) => readAudit(sql, filter));
    },
    async countAudit(zone, before) {
      requireOpen();
      return read((sql) => countAudit(sql, zone, before));
    },
    async pruneAudit(zone, before, most) {
      requireOpen();
      return write((sql) => pruneAudit(sql, { zone, before, most }));
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      watch.close();
      await batches.settled();
      await settled();
      await clients.close();
    },
  };
}

/** Which server and database, without the password. */
function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgres://${host}${pathname}`;
  } catch (cause) {
    throw new StoreError('store.unavailable', 'The address of the store is not a URL.', { cause });
  }
}

/** A key that the server cannot read would fail the question of all others. No token has one. */
function isPlain(key: string): boolean {
  return /^[\x20-\x7e]*$/.test(key);
}
