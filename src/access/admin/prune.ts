import { setImmediate as turn } from 'node:timers/promises';
import { commandLine } from '../../lib/shell-word.js';
import { nearlyAll, pruneRecords } from '../audit/index.js';
import { readDate, readSpan } from '../tokens/expiry.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';
import { quoted } from './receiver.js';
import { requireAllowed } from './write.js';

export interface PruneOptions {
  /** `90d`, `12w`, or the exact date `2026-01-31`. Older records are removed. */
  readonly olderThan: string;
  /** Only count, remove nothing. */
  readonly dryRun?: boolean;
}

export interface Pruned {
  /** Records older than this. */
  readonly before: string;
  readonly removed: number;
  readonly isDryRun: boolean;
}

/** Removes old audit records of the zone. The removal itself is recorded. */
export async function auditPrune(parts: AdminParts, { olderThan, dryRun }: PruneOptions): Promise<Pruned> {
  const { store, zone, now, by, gather } = parts;
  const { time, isExact } = await limitOf(parts, olderThan);
  const before = new Date(time).toISOString();
  await gather();
  if (dryRun === true) return { before, removed: await store.countAudit(zone, time), isDryRun: true };
  if (!isExact) await refuseNearlyAll(parts, time);
  const removed = await pruneRecords(store, {
    zone,
    before: time,
    async beforePiece() {
      await turn();
      await requireAllowed(parts);
    },
  });
  const detail = { before, removed };
  await store.appendAudit([
    { ...by, at: now(), zone, action: 'audit.prune', decision: 'allow', target: zone, detail },
  ]);
  return { before, removed, isDryRun: false };
}

/** A duration counts back from the store's clock, because this machine's clock may be wrong. */
async function limitOf(
  { store }: AdminParts,
  olderThan: string,
): Promise<{ readonly time: number; readonly isExact: boolean }> {
  const present = await store.time();
  const span = readSpan(olderThan);
  const date = span === undefined ? readDate(olderThan) : undefined;
  const time = span === undefined ? date : present - span;
  if (time !== undefined && time <= present) return { time, isExact: date !== undefined };
  const message = `${quoted(olderThan)} is not a valid duration or past date.`;
  throw new AdminError('access.bad_time', message, 'use 90d, 12w or 2026-01-31');
}

async function refuseNearlyAll({ store, zone }: AdminParts, time: number): Promise<void> {
  const taken = await nearlyAll(store, { zone, before: time });
  if (taken === undefined) return;
  const date = new Date(time).toISOString();
  throw new AdminError(
    'access.prune_too_much',
    `This would remove ${String(taken.old)} of ${String(taken.total)} records, all older than ${date}.`,
    commandLine('audit', 'prune', '--older-than', date),
  );
}
