import { setTimeout as delay } from 'node:timers/promises';
import { nearlyAll, pruneRecords } from '../../access/audit/index.js';
import type { AccessStore, AuditRecord } from '../../access/ports/index.js';
import { shellWord } from '../../lib/shell-word.js';

export interface AuditKeepingParts {
  readonly store: () => Promise<Pick<AccessStore, 'time' | 'countAudit' | 'pruneAudit' | 'appendAudit'>>;
  readonly zone: string;
  /** In days; 0 keeps records forever. */
  readonly keep: number;
  /** The principal in the audit record of the pruning. */
  readonly principal: string;
  readonly now: () => number;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly pauseMs?: number;
}

const dayMs = 86_400_000;
/** Pause between batches, so that calls do not wait for the store's single writer. */
const usualPauseMs = 100;

/** Removes expired audit records at startup and once a day, without delaying calls. */
export function openAuditKeeping({ pauseMs = usualPauseMs, ...parts }: AuditKeepingParts): { close(): void } {
  const stop = new AbortController();
  const { signal } = stop;

  async function prune(): Promise<void> {
    const store = await parts.store();
    // Use the store's clock: a gateway whose clock runs ahead must not remove the records of other gateways.
    const before = (await store.time()) - parts.keep * dayMs;
    const taken = await nearlyAll(store, { zone: parts.zone, before });
    if (taken !== undefined) return refuse(before, taken);
    let isFirst = true;
    const removed = await pruneRecords(store, {
      zone: parts.zone,
      before,
      isStopped: () => signal.aborted,
      async beforePiece() {
        if (!isFirst) await delay(pauseMs, undefined, { signal, ref: false });
        isFirst = false;
      },
    });
    if (removed > 0) await store.appendAudit([recordOf(parts, { before, removed })]);
  }

  function refuse(before: number, { old, total }: { readonly old: number; readonly total: number }): void {
    const date = new Date(before).toISOString();
    parts.warn('old audit records were not removed: nearly all records would be deleted', {
      code: 'access.prune_too_much',
      old,
      total,
      before: date,
      next: `Check the clock of the store. If it is correct, run: tidegate audit prune --older-than ${shellWord(date)}`,
    });
  }

  async function everyDay(): Promise<void> {
    while (!signal.aborted) {
      await prune().catch((error: unknown) => {
        // The store does not respond; try again tomorrow.
        if (!signal.aborted) parts.warn('old audit records were not removed', { error: String(error) });
      });
      await delay(dayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  if (parts.keep > 0) void everyDay();
  return { close: () => stop.abort() };
}

function recordOf(
  { now, zone, principal, keep }: AuditKeepingParts,
  { before, removed }: { readonly before: number; readonly removed: number },
): AuditRecord {
  const detail = { before: new Date(before).toISOString(), removed, keep: `${String(keep)}d` };
  return { at: now(), zone, action: 'audit.prune', decision: 'allow', principal, target: zone, detail };
}
