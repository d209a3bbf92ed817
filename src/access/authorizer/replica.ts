import { createMemoryTuples, type MemoryTuples, type Relationship } from '../engine/index.js';
import { parseObject } from '../object-ids.js';
import type { GrantChanges, GrantKey, GrantStore, GrantTuple, Soon, ZoneHead } from '../ports/index.js';
import { createUses } from './uses.js';

/** An in-process copy of one zone's tuples, at one exact revision. */
export interface Replica {
  /** Undefined until the first read. */
  readonly head: ZoneHead | undefined;
  readonly tuples: MemoryTuples;
  /** Number of tuples with a condition. If zero, no context values are needed. */
  readonly conditional: number;
  /**
   * Whether an object has tuples that can matter to principals not named in them. If not, the object is like any other to
   * those principals, and cached answers can be shared.
   */
  isShared(object: string): boolean;
  /** The patterns of `group:glob/…` in tuples. */
  globs(): Iterable<string>;
  /** When the next `not_expired` condition ends; Infinity if none will, undefined if one is unpredictable. */
  nextTurn(now: number): number | undefined;
  /**
   * Brings the copy up to date with the store. Throws or rejects if that is not possible. Returns undefined if it was done
   * synchronously.
   */
  refresh(): Promise<void> | undefined;
}

export interface ReplicaParts {
  readonly store: GrantStore;
  readonly zone: string;
  /** Relations whose tuples lead to other objects, as `type#relation`. */
  readonly tuplesets: ReadonlySet<string>;
  /** Called before the new state becomes visible. */
  readonly onApplied: () => void;
}

const globPrefix = 'group:glob/';

export function createReplica({ store, zone, tuplesets, onApplied }: ReplicaParts): Replica {
  let tuples = createMemoryTuples([]);
  let head: ZoneHead | undefined;
  /** Counts requests for changes, and which of them the current tuples answer. */
  let questions = 0;
  let answered = 0;
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

  /** Runs synchronously from the first tuple to the new revision, so that no reader sees half a change. */
  function apply(changes: GrantChanges, question: number): void {
    turns = undefined;
    head = undefined;
    if (changes.kind === 'all') {
      startAnew();
      for (const tuple of changes.tuples) add(tuple);
    } else {
      for (const { kind, tuple } of changes.changes) {
        remove(tuple);
        if (kind === 'add') add(tuple);
      }
    }
    head = changes.head;
    answered = question;
    onApplied();
  }

  function follow(): Promise<void> | undefined {
    const from = head;
    const question = (questions += 1);
    const changes = store.changes(zone, from?.history);
    if (!isLater(changes)) {
      apply(changes, question);
      return undefined;
    }
    return changes.then((read) => {
      if (head === from) return apply(read, question);
      // Another request finished in the meantime, so this result may be based on an outdated state.
      return answered > question ? undefined : follow();
    });
  }

  return {
    get head() {
      return head;
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
      const before = questions;
      const wanted = store.head(zone);
      // A later request is at least as fresh as this one.
      const isReached = ({ history }: ZoneHead): boolean => head?.history === history || answered > before;
      if (!isLater(wanted)) return isReached(wanted) ? undefined : follow();
      return wanted.then((known) => (isReached(known) ? undefined : follow()));
    },
  };
}

export function isLater<T>(value: Soon<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** The pattern of a tool group; nothing for other objects. */
export function* patternOf(object: string): Iterable<string> {
  const parts = object.startsWith(globPrefix) ? parseObject(object) : undefined;
  if (parts?.type === 'group' && parts.kind === 'glob') yield parts.pattern;
}

function isPersonal({ userType, userRelation, isWildcard }: Relationship): boolean {
  return userType === 'principal' && userRelation === '' && !isWildcard;
}

/** When conditions change. Custom conditions may change at any time: NaN. */
function turnsOf(tuples: MemoryTuples): readonly number[] {
  const turns = tuples.all().flatMap(({ condition }) => {
    if (condition === undefined) return [];
    const until = condition.name === 'not_expired' ? condition.context?.['until'] : undefined;
    return [typeof until === 'string' ? Date.parse(until) : Number.NaN];
  });
  return [...new Set(turns)];
}
