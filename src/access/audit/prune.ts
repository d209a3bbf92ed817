import type { AuditStore } from '../ports/index.js';

export interface Pruning {
  readonly zone: string;
  /** Records older than this are removed. */
  readonly before: number;
  /** Called before each batch. May pause, or throw to stop. */
  readonly beforePiece?: () => Promise<void>;
  readonly isStopped?: () => boolean;
}

/** Small enough not to delay calls that wait for the store. */
const atOnce = 500;
/** Removing more than this share of the records is more likely caused by a wrong clock than by their age. */
const largestShare = 0.9;
const fewRecords = 100;
/** Later than any record. */
const endOfTime = 8.64e15;

/** The counts, if the prune would remove nearly all records of the zone. */
export async function nearlyAll(
  store: Pick<AuditStore, 'countAudit'>,
  { zone, before }: Pick<Pruning, 'zone' | 'before'>,
): Promise<{ readonly old: number; readonly total: number } | undefined> {
  const old = await store.countAudit(zone, before);
  const total = await store.countAudit(zone, endOfTime);
  return total > fewRecords && old > total * largestShare ? { old, total } : undefined;
}

/** Removes old records in batches and returns how many. */
export async function pruneRecords(
  store: Pick<AuditStore, 'pruneAudit'>,
  { zone, before, beforePiece, isStopped = () => false }: Pruning,
): Promise<number> {
  let removed = 0;
  for (let gone = -1; gone !== 0 && !isStopped(); removed += Math.max(gone, 0)) {
    await beforePiece?.();
    gone = await store.pruneAudit(zone, before, atOnce);
  }
  return removed;
}
