import { createMemoryTuples, type MemoryTuples } from '../engine/index.js';
import { parseObject } from '../object-ids.js';
import type { GrantChanges, GrantStore, Soon } from '../ports.js';

/** The tuples of one zone in this process, at one exact revision. */
export interface Replica {
  /** Undefined until it was read for the first time. */
  readonly revision: number | undefined;
  readonly tuples: MemoryTuples;
  /** How many tuples stand on a condition: while there are none, no value has to be looked up for them. */
  readonly conditional: number;
  /** The patterns of `group:glob/…` that tuples name. */
  globs(): Iterable<string>;
  /** When the next condition `not_expired` turns; Infinity when none will, undefined when one cannot be foretold. */
  nextTurn(now: number): number | undefined;
  /**
   * At least as fresh as the store is now. Throws or rejects when that cannot be said. Gives undefined when it was
   * done at once.
   */
  refresh(): Promise<void> | undefined;
}

const globPrefix = 'group:glob/';

export function createReplica(store: GrantStore, zone: string): Replica {
  let tuples = createMemoryTuples([]);
  let revision: number | undefined;
  let conditional = 0;
  let turns: readonly number[] | undefined;
  const globUses = new Map<string, number>();

  function count({ object, condition }: { object: string; condition?: unknown }, by: 1 | -1): void {
    if (condition !== undefined) conditional += by;
    if (!object.startsWith(globPrefix)) return;
    const uses = (globUses.get(object) ?? 0) + by;
    if (uses > 0) globUses.set(object, uses);
    else globUses.delete(object);
  }

  function remove(key: { user: string; relation: string; object: string }): void {
    const known = tuples.find(key.object, key.relation, key.user);
    if (known === undefined) return;
    count(known, -1);
    tuples.remove(known);
  }

  function startAnew(): void {
    tuples = createMemoryTuples([]);
    conditional = 0;
    globUses.clear();
  }

  /** One turn of the event loop from the first tuple to the new number: nobody sees the half of a change. */
  function apply(changes: GrantChanges): void {
    turns = undefined;
    revision = undefined;
    if (changes.kind === 'all') startAnew();
    const steps =
      changes.kind === 'all'
        ? changes.tuples.map((tuple) => ({ kind: 'add' as const, tuple }))
        : changes.changes;
    for (const step of steps) {
      remove(step.tuple);
      if (step.kind === 'remove') continue;
      tuples.add(step.tuple);
      count(step.tuple, 1);
    }
    revision = changes.revision;
  }

  function follow(changes: Soon<GrantChanges>, from: number | undefined): Promise<void> | undefined {
    if (!isLater(changes)) {
      apply(changes);
      return undefined;
    }
    return changes.then((read) => {
      // Somebody else brought it further meanwhile: what was read may start from what is no longer there.
      if (revision === from) apply(read);
      else if (revision === undefined || revision < read.revision)
        return follow(store.changes(zone, revision), revision);
      return undefined;
    });
  }

  function reach(wanted: number): Promise<void> | undefined {
    if (revision !== undefined && revision === wanted) return undefined;
    return follow(store.changes(zone, revision), revision);
  }

  return {
    get revision() {
      return revision;
    },
    get tuples() {
      return tuples;
    },
    get conditional() {
      return conditional;
    },
    *globs() {
      for (const object of globUses.keys()) yield* patternOf(object);
    },
    nextTurn(now) {
      if (conditional === 0) return Number.POSITIVE_INFINITY;
      turns ??= turnsOf(tuples);
      return turns.some(Number.isNaN) ? undefined : Math.min(...turns.filter((turn) => turn > now));
    },
    refresh() {
      const wanted = store.revision(zone);
      if (!isLater(wanted)) return reach(wanted);
      const before = revision;
      return wanted.then((known) => {
        // The store was put back to an earlier state: what we know comes from a history that is no more.
        if (before !== undefined && before > known) return follow(store.changes(zone, undefined), revision);
        // Somebody else brought it further while this question was on its way.
        if (revision !== undefined && revision > known) return undefined;
        return reach(known);
      });
    },
  };
}

/** The pattern of a group of tools; nothing for any other object. */
export function* patternOf(object: string): Iterable<string> {
  const parts = object.startsWith(globPrefix) ? parseObject(object) : undefined;
  if (parts?.type === 'group' && parts.kind === 'glob') yield parts.pattern;
}

export function isLater<T>(value: Soon<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** When conditions turn. One that we did not write ourselves may turn at any time: not a number. */
function turnsOf(tuples: MemoryTuples): readonly number[] {
  const turns = tuples.all().flatMap(({ condition }) => {
    if (condition === undefined) return [];
    const until = condition.name === 'not_expired' ? condition.context?.['until'] : undefined;
    return [typeof until === 'string' ? Date.parse(until) : Number.NaN];
  });
  return [...new Set(turns)].sort((a, b) => a - b);
}
