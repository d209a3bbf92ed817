import { StoreError } from '../../access/ports/index.js';
import { type ApplyOrder, createApplyOrder } from './apply-order.js';
import { numberOf } from '../cells.js';
import { type Connection, openConnection, type Query } from './connection.js';
import { isBusy, storeErrorOf } from './failures.js';
import { migrate } from './migrate.js';
import type { Order, Outcome, WriterParts } from './orders.js';
import { createCompanionWatch, isStillThere, replacedError } from './place.js';
import { createReserve, type Reserve } from './reserve.js';
import { requireKnownVersion } from './version.js';
import { whileBusy } from './while-busy.js';

/** The one that writes. It blocks its thread, and has one of its own for that. */
export interface Writer {
  /** In one transaction, on disk when it resolves. Each order has an outcome of its own; it never rejects. */
  run(orders: readonly Order[]): Promise<readonly Outcome[]>;
  close(): void;
}

interface WriteSession {
  readonly connection: Connection;
  readonly apply: ApplyOrder;
  readonly version: Query;
  /** Whether SQLite's own files are those that the connection works with. */
  readonly areCompanionsThere: () => boolean;
}

/** A connection that was dropped lives on until its statements are collected, so it is not dropped often. */
const dropAtMostEveryMs = 1000;

/** Opens the file at the first order, and again after it was found damaged. */
export function createWriter(parts: WriterParts): Writer {
  let session: WriteSession | undefined;
  let openedAt = 0;
  const reserve = createReserve(parts.file);
  const drop = (): void => {
    session?.connection.close();
    session = undefined;
  };
  return {
    async run(orders) {
      try {
        session ??= await (orders.some(isUrgent)
          ? reserve.use(() => openSession(parts))
          : openSession(parts));
        openedAt ||= performance.now();
        const outcomes = await runTogether(parts, session, orders, reserve);
        reserve.tend();
        return outcomes;
      } catch (error) {
        if (performance.now() - openedAt > dropAtMostEveryMs) {
          drop();
          openedAt = 0;
        }
        return orders.map(() => failure(error, parts.file));
      }
    },
    close() {
      try {
        // So that the file alone is whole, if nobody else is at it.
        session?.connection.pragma('wal_checkpoint(truncate)');
      } catch {
        // Everything is kept in the log as well.
      }
      drop();
    },
  };
}

async function openSession(parts: WriterParts): Promise<WriteSession> {
  requireSameFile(parts);
  // SQLite's own waiting is neither fair nor drawn by lot.
  const connection = await openConnection({ file: parts.file, identity: parts.identity, busyMs: 0 });
  try {
    whileBusy(() => connection.exec('pragma synchronous = full'));
    // What a burst of writes leaves of the log is given back.
    whileBusy(() => connection.exec('pragma journal_size_limit = 16777216'));
    migrate(connection, parts);
    const version = connection.prepare('select max(version) from schema_versions');
    const areCompanionsThere = createCompanionWatch(parts.file);
    areCompanionsThere();
    return { connection, apply: createApplyOrder(connection), version, areCompanionsThere };
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function runTogether(
  parts: WriterParts,
  session: WriteSession,
  orders: readonly Order[],
  reserve: Reserve,
): Promise<readonly Outcome[]> {
  requireSameFile(parts, session);
  const commit = (): readonly Outcome[] => whileBusy(() => inTransaction(parts, session, orders));
  try {
    const outcomes = orders.every(isUrgent) ? await reserve.use(commit) : commit();
    // What was written to a file that has no name any more is not kept.
    requireSameFile(parts, session);
    return outcomes;
  } catch (error) {
    if (orders.length === 1 || isBusy(error) || error instanceof StoreError) throw error;
    // One that the disk has no room for must not take the others with it.
    const alone: Outcome[] = [];
    for (const order of orders) alone.push(...(await runAlone(parts, session, order, reserve)));
    return alone;
  }
}

/** Takes rights away, so that it may use the room that is kept for that. */
function isUrgent(order: Order): boolean {
  return order.kind === 'revokeToken' || (order.kind === 'write' && order.change.isUrgent === true);
}

async function runAlone(
  parts: WriterParts,
  session: WriteSession,
  order: Order,
  reserve: Reserve,
): Promise<readonly Outcome[]> {
  try {
    return await runTogether(parts, session, [order], reserve);
  } catch (error) {
    return [failure(error, parts.file)];
  }
}

function inTransaction(
  { file }: WriterParts,
  session: WriteSession,
  orders: readonly Order[],
): readonly Outcome[] {
  const { connection, version } = session;
  try {
    connection.exec('begin immediate');
    // A newer program may have been here since.
    requireKnownVersion(numberOf(version.first()?.[0]), connection, file);
    const outcomes = orders.map((order) => inSavepoint(session, order, file));
    connection.exec('commit');
    return outcomes;
  } finally {
    connection.abandon();
  }
}

/** What is refused takes only itself back. */
function inSavepoint({ connection, apply }: WriteSession, order: Order, file: string): Outcome {
  connection.exec('savepoint one');
  try {
    const value = apply(order);
    connection.exec('release one');
    return { ok: true, kind: order.kind, value };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    connection.exec('rollback to one; release one');
    return failure(error, file);
  }
}

function requireSameFile({ file, identity }: WriterParts, session?: WriteSession): void {
  if (!isStillThere(file, identity) || session?.areCompanionsThere() === false) throw replacedError(file);
}

function failure(error: unknown, file: string): Outcome {
  const { code, message } = storeErrorOf(error, file);
  return { ok: false, code, message };
}
