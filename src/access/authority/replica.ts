import { createMemoryTuples, type MemoryTuples, type Relationship } from '../engine/index.js';
import { parseObject } from '../object-ids.js';
import type { GrantChanges, GrantKey, GrantStore, GrantTuple, Soon } from '../ports.js';
import { createUses } from './uses.js';

/** The tuples of one zone in this process, at one exact revision. */
export interface Replica {
  /** Undefined until it was read for the first time. */
  readonly revision: number | undefined;
  readonly tuples: MemoryTuples;
  /** How many tuples stand on a condition: while there are none, no value has to be looked up for them. */
  readonly conditional: number;
  /**
   * Whether tuples of an object can matter to others than the principals that stand in them. One of which that is not
   * so is like any other of its kind to whoever does not stand there.
   */
  isShared(object: string): boolean;
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

export interface ReplicaParts {
  readonly store: GrantStore;
  readonly zone: string;
  /** Relations whose tuples lead on to other objects, as `type#relation`. */
  readonly tuplesets: ReadonlySet<string>;
  /** Told before anybody can ask about the new state. */
  readonly onApplied: () => void;
}

const globPrefix = 'group:glob/';

export function createReplica({ store, zone, tuplesets, onApplied }: ReplicaParts): Replica {
  let tuples = createMemoryTuples([]);
  let revision: number | undefined;
  let conditional = 0;
  let turns: readonly number[] | undefined;
  const globs = createUses();
  const shared = createUses();

  function count(tuple: Relationship, by: 1 | -1): void {
    if (tuple.condition !== undefined) conditional += by;
    if (tuple.object.startsWith(globPrefix)) globs.count(tuple.object, by);
    if (!isPersonal(tuple) || tuplesets.has(`${tuple.objectType}#${tuple.relation}`))
      shared.count(tuple.object, by);
  }

  function remove({ object, relation, user }: GrantKey): void {
    const known = tuples.find(object, relation, user);
    if (known === undefined) return;
    count(known, -1);
    tuples.remove(known);
  }

  function add(tuple: GrantTuple): void {
    tuples.add(tuple);
    const added = tuples.find(tuple.object, tuple.relation, tuple.user);
    if (added !== undefined) count(added, 1);
  }

  function startAnew(): void {
    tuples = createMemoryTuples([]);
    conditional = 0;
    globs.clear();
    shared.clear();
  }

  /** One turn of the event loop from the first tuple to the new number: nobody sees the half of a change. */
  function apply(changes: GrantChanges): void {
    turns = undefined;
    revision = undefined;
    if (changes.kind === 'all') {
      startAnew();
      for (const tuple of changes.tuples) add(tuple);
    } else {
      for (const { kind, tuple } of changes.changes) {
        remove(tuple);
        if (kind === 'add') add(tuple);
      }
    }
    revision = changes.revision;
    onApplied();
  }

  function follow(changes: Soon<GrantChanges>, from: number | undefined): Promise<void> | undefined {
    if (!isLater(changes)) {
      apply(changes);
      return undefined;
    }
    return changes.then((read) => {
      if (revision === from) return apply(read);
      // Somebody else brought it further meanwhile: what was read may start from what is no longer there.
      if (revision !== undefined && revision >= read.revision) return undefined;
      return follow(store.changes(zone, revision), revision);
    });
  }

  function reach(wanted: number): Promise<void> | undefined {
    return revision === wanted ? undefined : follow(store.changes(zone, revision), revision);
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
    isShared: (object) => shared.has(object),
    *globs() {
      for (const object of globs.keys()) yield* patternOf(object);
    },
    nextTurn(now) {
      if (conditional === 0) return Number.POSITIVE_INFINITY;
      turns ??= turnsOf(tuples);
      if (turns.some(Number.isNaN)) return undefined;
      return turns.reduce(
        (next, turn) => (turn > now && turn < next ? turn : next),
        Number.POSITIVE_INFINITY,
      );
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

export function isLater<T>(value: Soon<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** The pattern of a group of tools; nothing for any other object. */
export function* patternOf(object: string): Iterable<string> {
  const parts = object.startsWith(globPrefix) ? parseObject(object) : undefined;
  if (parts?.type === 'group' && parts.kind === 'glob') yield parts.pattern;
}

function isPersonal({ userType, userRelation, isWildcard }: Relationship): boolean {
  return userType === 'principal' && userRelation === '' && !isWildcard;
}

/** When conditions turn. One that we did not write ourselves may turn at any time: not a number. */
function turnsOf(tuples: MemoryTuples): readonly number[] {
  const turns = tuples.all().flatMap(({ condition }) => {
    if (condition === undefined) return [];
    const until = condition.name === 'not_expired' ? condition.context?.['until'] : undefined;
    return [typeof until === 'string' ? Date.parse(until) : Number.NaN];
  });
  return [...new Set(turns)];
}
