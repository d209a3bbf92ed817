import { type AccessStore, StoreError, type TokenRecord, type ZoneHead } from '../../access/ports/index.js';
import type { StoreLog } from '../log.js';
import { requireStorable, requireStorableWrite } from '../words.js';
import { appendAudit, pruneAudit } from './audit-writes.js';
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
import { addToken, revokeToken, touchTokens, writeAllGrants } from './writes.js';
import { createZoneWatch } from './zone-watch.js';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=verify-full` */
  readonly url: string;
  readonly log?: StoreLog;
}

/**
 * Opens even if the server is unreachable: queries then fail with `store.unavailable` until it responds.
 * Rejects on errors that waiting cannot fix, such as a newer schema.
 */
export async function openPostgresStore({ url, log = () => {} }: PostgresStoreOptions): Promise<AccessStore> {
  const place = placeOf(url);
  const clients = await createClients(url, place);
  const channel = createChannel(clients, place, log);
  try {
    await channel.ready();
  } catch (error) {
    const failure = storeErrorOf(error, place);
    if (failure.code !== 'store.unavailable') {
      await clients.close();
      throw failure;
    }
    log('warn', 'the store is not reachable yet', { reason: failure.message });
  }
  return storeOf(clients, channel);
}

const mostUnderWay = 10_000;
/** How long a query waits for the schema. */
const patienceMs = 10_000;

/** Queries wait until the tables exist; the first connection creates them. */
interface Channel {
  readonly place: string;
  readonly ready: () => Promise<void>;
  readonly read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  readonly write: <T>(work: (sql: Transaction) => Promise<T>) => Promise<T>;
  /** Resolves when everything in progress has ended. */
  readonly settled: () => Promise<void>;
}

function createChannel(clients: Clients, place: string, log: StoreLog): Channel {
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
      throw new StoreError(
        'store.unavailable',
        `${mostUnderWay} queries are already waiting for the store ${place}. Try again later.`,
      );
    const running = whenReady(work);
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };
  return {
    place,
    ready,
    settled: async () => {
      await Promise.allSettled(underWay);
    },
    read: (work) => guarded(() => clients.read(work)),
    write: (work) => guarded(() => clients.write(work)),
  };
}

/** A migration can take minutes, so a query is refused with a retryable error instead of waiting for it. */
async function readySoon(ready: Promise<void>, place: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `The store ${place} is being upgraded to a new schema. Try again in a few minutes.`;
    timer = setTimeout(() => reject(new StoreError('store.unavailable', message)), patienceMs);
    timer.unref();
  });
  try {
    await Promise.race([ready, late]);
  } finally {
    clearTimeout(timer);
  }
}

function storeOf(clients: Clients, channel: Channel): AccessStore {
  const { place, read, write, settled } = channel;
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed) throw new StoreError('store.closed', `The store ${place} is closed.`);
  };
  const headOf = createCoalescer(async (zones) => {
    const found = await read((sql) => readHeads(sql, zones, place));
    return (zone): ZoneHead => found.get(zone) ?? { revision: 0, history: '', origin: '' };
  });
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
    ...tokenMethods(channel, requireOpen),
    ...auditMethods(channel, requireOpen),
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

function tokenMethods(
  { place, read, write }: Channel,
  requireOpen: () => void,
): Pick<AccessStore, 'findToken' | 'token' | 'addToken' | 'revokeToken' | 'tokens' | 'touchTokens'> {
  // One query for many lookups, so that made-up tokens cannot keep other callers waiting.
  const finderOf = (by: 'id' | 'hash'): ((key: string) => Promise<TokenRecord | undefined>) =>
    createCoalescer(async (keys) => {
      const found = await read((sql) => findTokens(sql, by, keys.filter(isPlain)));
      return (key): TokenRecord | undefined => found.get(key);
    });
  const [tokenById, tokenByHash] = [finderOf('id'), finderOf('hash')];
  return {
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
  };
}

function auditMethods(
  { read, write }: Channel,
  requireOpen: () => void,
): Pick<AccessStore, 'appendAudit' | 'audit' | 'countAudit' | 'pruneAudit'> {
  return {
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
  };
}

/** The server and database, without the password. */
function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgres://${host}${pathname}`;
  } catch (cause) {
    throw new StoreError('store.unavailable', 'The store address is not a valid URL.', { cause });
  }
}

/** A key that the server cannot read would fail the shared query. No token has such a key. */
function isPlain(key: string): boolean {
  return /^[\x20-\x7e]*$/.test(key);
}
