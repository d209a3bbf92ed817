import { resolve } from 'node:path';
import { type AccessStore, StoreError } from '../../access/ports/index.js';
import type { StoreLog } from '../log.js';
import { requireStorable, requireStorableWrite } from '../words.js';
import { storeErrorOf } from './failures.js';
import {
  createCompanionWatch,
  type FileIdentity,
  isStillThere,
  preparePlace,
  replacedError,
} from './place.js';
import { createReader, openReadConnection, type Reader } from './reader.js';
import { createReserve } from './reserve.js';
import { schemaVersion } from './schema.js';
import { requireKnownVersion, schemaVersionOf } from './version.js';
import { createWriterThread, type WriterThread } from './writer-thread.js';
import { createZoneWatch } from './zone-watch.js';

export interface SqliteStoreOptions {
  readonly file: string;
  readonly log?: StoreLog;
}

/** Open the file; create or migrate it if needed. Rejects with a `StoreError`. */
export async function openSqliteStore({ file, log = () => {} }: SqliteStoreOptions): Promise<AccessStore> {
  const path = resolve(file);
  let writer: WriterThread | undefined;
  try {
    const identity = preparePlace(path);
    writer = createWriterThread({ file: path, identity, program: __TIDEGATE_VERSION__ });
    const opened = writer;
    // A revoke must be able to open the store on a full disk too.
    const reader = await createReserve(path).use(() => openUpToDate(path, identity, opened));
    return storeOf({ file: path, identity, reader, writer, log });
  } catch (error) {
    await writer?.close();
    throw storeErrorOf(error, path);
  }
}

async function openUpToDate(file: string, identity: FileIdentity, writer: WriterThread): Promise<Reader> {
  const connection = await openReadConnection(file, identity);
  try {
    const version = schemaVersionOf(connection, file);
    requireKnownVersion(version, connection, file);
    if (version < schemaVersion) await writer.send({ kind: 'prepare' });
    return createReader(connection, file);
  } catch (error) {
    connection.close();
    throw error;
  }
}

interface StoreParts {
  readonly file: string;
  readonly identity: FileIdentity;
  readonly reader: Reader;
  readonly writer: WriterThread;
  readonly log: StoreLog;
}

/** How long a check of the file's identity stays valid. */
const identityValidMs = 100;

function storeOf({ file, identity, reader, writer, log }: StoreParts): AccessStore {
  const watch = createZoneWatch(reader, log);
  const areCompanionsThere = createCompanionWatch(file);
  areCompanionsThere();
  let checkedAt = performance.now();
  let damage: StoreError | undefined;
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed) throw new StoreError('store.closed', `The store ${file} is closed.`);
  };
  const read = (): Reader => {
    requireOpen();
    // The reader's cache may still be intact, but a file that the writer found damaged can't be trusted.
    if (damage !== undefined) throw damage;
    const now = performance.now();
    if (now - checkedAt < identityValidMs) return reader;
    if (!isStillThere(file, identity) || !areCompanionsThere()) throw replacedError(file);
    checkedAt = now;
    return reader;
  };
  const send: WriterThread['send'] = async (order) => {
    requireOpen();
    const value = await writer.send(order).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'store.corrupt') damage = error;
      throw error;
    });
    watch.look();
    return value;
  };
  return {
    kind: 'sqlite',
    head: (zone) => read().head(zone),
    time: () => read().time(),
    onChange(listener) {
      requireOpen();
      return watch.add(listener);
    },
    changes: (zone, from) => read().changes(zone, from),
    async write(change) {
      requireStorableWrite(change);
      return send({ kind: 'write', change });
    },
    grants: async (zone, filter = {}) => read().grants(zone, filter),
    findToken: (hash) => read().findToken(hash),
    token: (id) => read().token(id),
    async addToken(token, record, expected) {
      const { id, zone, hash } = token;
      requireStorable({ id, zone, hash });
      return send({ kind: 'addToken', token, record, ...(expected !== undefined && { expected }) });
    },
    revokeToken: (zone, id, at, record, expected) =>
      send({ kind: 'revokeToken', zone, id, at, record, ...(expected !== undefined && { expected }) }),
    tokens: async (zone) => read().tokens(zone),
    touchTokens: (uses) => send({ kind: 'touchTokens', uses }),
    appendAudit: (records) => send({ kind: 'appendAudit', records }),
    audit: async (filter) => read().audit(filter),
    countAudit: async (zone, before) => read().countAudit(zone, Math.trunc(before)),
    pruneAudit: (zone, before, most) =>
      send({ kind: 'pruneAudit', zone, before: Math.trunc(before), most: Math.max(0, Math.trunc(most)) }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      watch.close();
      await writer.close();
      reader.close();
    },
  };
}
