import { setTimeout as delay } from 'node:timers/promises';
import type { AccessStore, AuditRecord } from '../access/ports.js';

export interface AuditKeepingParts {
  readonly store: () => Promise<Pick<AccessStore, 'pruneAudit' | 'appendAudit'>>;
  readonly zone: string;
  /** In days; 0: records are kept for ever. */
  readonly keep: number;
  /** On whose behalf, for the record of it. */
  readonly principal: string;
  readonly now: () => number;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly pauseMs?: number;
}

const dayMs = 86_400_000;
const atOnce = 500;
/** Between two pieces, so that whoever calls meanwhile is not held up by the one writer of a store. */
const usualPauseMs = 100;

/** Removes records that are older than they are kept for: now, and once a day. Never in the way of a call. */
export function openAuditKeeping({ pauseMs = usualPauseMs, ...parts }: AuditKeepingParts): { close(): void } {
  const stop = new AbortController();
  const { signal } = stop;

  async function prune(): Promise<void> {
    const before = parts.now() - parts.keep * dayMs;
    const store = await parts.store();
    let removed = 0;
    for (let gone = -1; gone !== 0 && !signal.aborted; removed += gone) {
      gone = await store.pruneAudit(parts.zone, before, atOnce);
      if (gone > 0) await delay(pauseMs, undefined, { signal, ref: false });
    }
    if (removed > 0) await store.appendAudit([recordOf(parts, { before, removed })]);
  }

  async function everyDay(): Promise<void> {
    while (!signal.aborted) {
      await prune().catch((error: unknown) => {
        // The store was closed with the gate, or does not answer: tomorrow is another day.
        if (!signal.aborted) parts.warn('old records were not removed', { error: String(error) });
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
