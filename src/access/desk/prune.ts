import { setImmediate as turn } from 'node:timers/promises';
import { readSpan } from '../identity/expiry.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';
import { quoted } from './receiver.js';

export interface PruneWish {
  /** `90d`, `12w`: what is older goes. */
  readonly olderThan: string;
  /** Only counts. */
  readonly dryRun?: boolean;
}

export interface Pruned {
  /** What is older than this moment. */
  readonly before: string;
  readonly removed: number;
  readonly isDryRun: boolean;
}

/** Small enough that a call which waits for the store does not feel it. */
const atOnce = 500;

/** Removes old records of the zone. That they were removed, and by whom, is a record of its own. */
export async function auditPrune(parts: DeskParts, { olderThan, dryRun }: PruneWish): Promise<Pruned> {
  const { store, zone, now, by, gather } = parts;
  const span = readSpan(olderThan);
  if (span === undefined)
    throw new DeskError('access.bad_time', `${quoted(olderThan)} is no length of time.`, 'write 90d or 12w');
  const time = now() - span;
  const before = new Date(time).toISOString();
  await gather();
  if (dryRun === true) return { before, removed: await store.countAudit(zone, time), isDryRun: true };
  let removed = 0;
  for (let gone = -1; gone !== 0; removed += gone) {
    gone = await store.pruneAudit(zone, time, atOnce);
    await turn();
  }
  const detail = { before, removed };
  await store.appendAudit([
    { ...by, at: now(), zone, action: 'audit.prune', decision: 'allow', target: zone, detail },
  ]);
  return { before, removed, isDryRun: false };
}
