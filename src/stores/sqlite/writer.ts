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

/** Executes orders. It blocks its thread, so it runs in a separate one. */
export interface Writer {
  /** Run in one transaction, on disk when it resolves. Each order has its own outcome; never rejects. */
  run(orders: readonly Order[]): Promise<readonly Outcome[]>;
  close(): void;
}

interface WriteSession {
  readonly connection: Connection;
  readonly apply: ApplyOrder;
  readonly version: Query;
  /** Whether SQLite's own files are still those of the connection. */
  readonly areCompanionsThere: () => boolean;
}

/** A dropped connection lives until its statements are garbage collected, so limit how often we drop one. */
const dropAtMostEveryMs = 1000;

/** Opens the file on the first order, and again after it was found damaged. */
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
        // Move the log into the file, so that the file alone is complete. Fails if another process uses it.
        session?.connection.pragma('wal_checkpoint(truncate)');
      } catch {
        // No loss: the log has the data too.
      }
      drop();
    },
  };
}

async function openSession(parts: WriterParts): Promise<WriteSession> {
  requireSameFile(parts);
  // SQLite's own busy wait is neither fair nor random.
  const connection = await openConnection({ file: parts.file, identity: parts.identity, busyMs: 0 });
  try {
    whileBusy(() => connection.exec('pragma synchronous = full'));
    // Shrink the log after a burst of writes.
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
    // Writes to a file without a path would be lost.
    requireSameFile(parts, session);
    return outcomes;
  } catch (error) {
    if (orders.length === 1 || isBusy(error) || error instanceof StoreError) throw error;
    // Run them one by one, so that one order that is too large for the disk does not fail the others.
    const alone: Outcome[] = [];
    for (const order of orders) alone.push(...(await runAlone(parts, session, order, reserve)));
    return alone;
  }
}

/** The order takes access away, so it may use the reserve. */
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
    // A newer program may have migrated the file since.
    requireKnownVersion(numberOf(version.first()?.[0]), connection, file);
    const outcomes = orders.map((order) => inSavepoint(session, order, file));
    connection.exec('commit');
    return outcomes;
  } finally {
    connection.abandon();
  }
}

/** A refused order rolls back only its own changes. */
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
