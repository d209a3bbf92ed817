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

export function createReplica(parts: ReplicaParts): Replica {
  return new ZoneReplica(parts);
}

class ZoneReplica implements Replica {
  readonly #parts: ReplicaParts;
  readonly #globs = createUses();
  readonly #shared = createUses();
  #tuples = createMemoryTuples([]);
  #head: ZoneHead | undefined;
  #conditional = 0;
  #turns: readonly number[] | undefined;
  /** Counts reads of the store, and which of them the current tuples come from. */
  #reads = 0;
  #applied = 0;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
  }

  get head(): ZoneHead | undefined {
    return this.#head;
  }

  get tuples(): MemoryTuples {
    return this.#tuples;
  }

  get conditional(): number {
    return this.#conditional;
  }

  isShared(object: string): boolean {
    return this.#shared.has(object);
  }

  *globs(): Iterable<string> {
    for (const object of this.#globs.keys()) yield* patternOf(object);
  }

  nextTurn(now: number): number | undefined {
    if (this.#conditional === 0) return Number.POSITIVE_INFINITY;
    this.#turns ??= turnsOf(this.#tuples);
    if (this.#turns.some(Number.isNaN)) return undefined;
    return this.#turns.reduce(
      (next, turn) => (turn > now && turn < next ? turn : next),
      Number.POSITIVE_INFINITY,
    );
  }

  refresh(): Promise<void> | undefined {
    const before = this.#reads;
    const wanted = this.#parts.store.head(this.#parts.zone);
    // A later read is at least as fresh as this one.
    const isReached = ({ history }: ZoneHead): boolean =>
      this.#head?.history === history || this.#applied > before;
    if (!isLater(wanted)) return isReached(wanted) ? undefined : this.#read();
    return wanted.then((known) => (isReached(known) ? undefined : this.#read()));
  }

  #read(): Promise<void> | undefined {
    const from = this.#head;
    const read = (this.#reads += 1);
    const changes = this.#parts.store.changes(this.#parts.zone, from?.history);
    if (!isLater(changes)) {
      this.#apply(changes, read);
      return undefined;
    }
    return changes.then((known) => {
      if (this.#head === from) return this.#apply(known, read);
      // Another read finished in the meantime, so this one may start from an outdated state.
      return this.#applied > read ? undefined : this.#read();
    });
  }

  /** Runs synchronously from the first tuple to the new revision, so that no reader sees half a change. */
  #apply(changes: GrantChanges, read: number): void {
    this.#turns = undefined;
    this.#head = undefined;
    if (changes.kind === 'all') {
      this.#clear();
      for (const tuple of changes.tuples) this.#add(tuple);
    } else {
      for (const { kind, tuple } of changes.changes) {
        this.#remove(tuple);
        if (kind === 'add') this.#add(tuple);
      }
    }
    this.#head = changes.head;
    this.#applied = read;
    this.#parts.onApplied();
  }

  #add(tuple: GrantTuple): void {
    this.#tuples.add(tuple);
    const added = this.#tuples.find(tuple.object, tuple.relation, tuple.user);
    if (added !== undefined) this.#count(added, 1);
  }

  #remove({ object, relation, user }: GrantKey): void {
    const known = this.#tuples.find(object, relation, user);
    if (known === undefined) return;
    this.#count(known, -1);
    this.#tuples.remove(known);
  }

  #clear(): void {
    this.#tuples = createMemoryTuples([]);
    this.#conditional = 0;
    this.#globs.clear();
    this.#shared.clear();
  }

  #count(tuple: Relationship, by: 1 | -1): void {
    if (tuple.condition !== undefined) this.#conditional += by;
    if (tuple.object.startsWith(globPrefix)) this.#globs.count(tuple.object, by);
    if (!isPersonal(tuple) || this.#parts.tuplesets.has(`${tuple.objectType}#${tuple.relation}`))
      this.#shared.count(tuple.object, by);
  }
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
