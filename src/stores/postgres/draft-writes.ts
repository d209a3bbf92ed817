import {
  type AuditRecord,
  type GrantChange,
  type GrantKey,
  type GrantTuple,
  type GrantWrite,
  StoreError,
} from '../../access/ports/index.js';
import { newHistory, requireExpected } from '../history.js';
import { changesOf, isMatch, planChange } from '../plan-change.js';
import { keyOf } from '../words.js';
import type { WriteOutcome } from './grant-batches.js';

/** A tuple to store, and its author. */
export interface DraftRow {
  readonly tuple: GrantTuple;
  readonly by: string;
  readonly at: number;
  readonly revision: number;
}

export interface NewRevision {
  readonly revision: number;
  readonly history: string;
}

export interface LoggedChange {
  readonly revision: number;
  readonly place: number;
  readonly change: GrantChange;
}

export interface KeptRecord {
  readonly record: AuditRecord;
  readonly revision?: number;
}

/** The result of several writes applied in order. */
export interface DraftedWrites {
  readonly outcomes: readonly WriteOutcome[];
  readonly revisions: readonly NewRevision[];
  /** Tuples to delete, and tuples to insert. */
  readonly gone: readonly GrantKey[];
  readonly rows: readonly DraftRow[];
  readonly log: readonly LoggedChange[];
  readonly records: readonly KeptRecord[];
}

/** `present`: every stored tuple that any of the writes could touch. */
export function draftWrites(
  changes: readonly GrantWrite[],
  from: NewRevision,
  present: ReadonlyMap<string, GrantTuple>,
): DraftedWrites {
  const state = new Map(present);
  const rows = new Map<string, DraftRow>();
  const log: LoggedChange[] = [];
  const records: KeptRecord[] = [];
  const revisions: NewRevision[] = [];

  function write(change: GrantWrite): WriteOutcome {
    const { expected, record } = change;
    const before = revisions.at(-1) ?? from;
    try {
      requireExpected(expected, before);
    } catch (error) {
      if (error instanceof StoreError) return { ok: false, error };
      throw error;
    }
    const plan = planChange(change, {
      find: (key) => state.get(keyOf(key)),
      matching: (filter) => [...state.values()].filter((tuple) => isMatch(tuple, filter)),
    });
    const made = changesOf(plan);
    const revision = before.revision + (made.length > 0 ? 1 : 0);
    if (made.length > 0) revisions.push({ revision, history: newHistory() });
    made.forEach((one, place) => log.push({ revision, place: place + 1, change: one }));
    for (const tuple of plan.removed) {
      state.delete(keyOf(tuple));
      rows.delete(keyOf(tuple));
    }
    for (const tuple of plan.added) {
      state.set(keyOf(tuple), tuple);
      rows.set(keyOf(tuple), { tuple, by: record.principal, at: record.at, revision });
    }
    records.push({ record, revision });
    return { ok: true, written: { revision, ...plan } };
  }

  const outcomes = changes.map(write);
  const gone = [...present].flatMap(([key, tuple]) => (state.get(key) === tuple ? [] : [tuple]));
  return { outcomes, revisions, gone, rows: [...rows.values()], log, records };
}
