import { parseTuple, type Relationship, type Tuple } from './tuple.js';
import type { TupleSource } from './tuple-source.js';

/** Tuples in memory, indexed by object and by user. */
export interface MemoryTuples extends TupleSource {
  readonly size: number;
  /** Adds a tuple, or replaces the one with the same user, relation and object. */
  add(tuple: Tuple): void;
  /** Returns whether it existed. */
  remove(tuple: Tuple): boolean;
  all(): readonly Relationship[];
}

interface Bucket {
  readonly byUser: Map<string, Relationship>;
  /** Built on demand, dropped when the bucket changes. */
  all: readonly Relationship[] | undefined;
  usersets: readonly Relationship[] | undefined;
}

const none: readonly Relationship[] = [];

export function createMemoryTuples(tuples: readonly Tuple[] = []): MemoryTuples {
  // Two maps instead of joined keys, because both strings already have a cached hash.
  const objects = new Map<string, Map<string, Bucket>>();
  const users = new Map<string, Set<Relationship>>();
  let size = 0;
  // A check asks about the same object several times in a row.
  let last:
    | { readonly object: string; readonly relations: ReadonlyMap<string, Bucket> | undefined }
    | undefined;
  const relationsOf = (object: string): ReadonlyMap<string, Bucket> | undefined => {
    if (last?.object !== object) last = { object, relations: objects.get(object) };
    return last.relations;
  };

  const memory: MemoryTuples = {
    get size() {
      return size;
    },
    add(tuple) {
      const relationship = parseTuple(tuple);
      memory.remove(tuple);
      last = undefined;
      const bucket = bucketOf(objects, relationship);
      bucket.byUser.set(relationship.user, relationship);
      bucket.all = bucket.usersets = undefined;
      const uses = users.get(relationship.user) ?? new Set();
      users.set(relationship.user, uses.add(relationship));
      size++;
    },
    remove({ object, relation, user }) {
      const relations = objects.get(object);
      const bucket = relations?.get(relation);
      const relationship = bucket?.byUser.get(user);
      if (relations === undefined || bucket === undefined || relationship === undefined) return false;
      bucket.byUser.delete(user);
      last = undefined;
      bucket.all = bucket.usersets = undefined;
      if (bucket.byUser.size === 0) relations.delete(relation);
      if (relations.size === 0) objects.delete(object);
      const uses = users.get(user);
      uses?.delete(relationship);
      if (uses?.size === 0) users.delete(user);
      size--;
      return true;
    },
    find: (object, relation, user) => relationsOf(object)?.get(relation)?.byUser.get(user),
    of(object, relation) {
      const bucket = relationsOf(object)?.get(relation);
      return bucket === undefined ? none : (bucket.all ??= [...bucket.byUser.values()]);
    },
    usersetsOf(object, relation) {
      const bucket = relationsOf(object)?.get(relation);
      if (bucket === undefined) return none;
      return (bucket.usersets ??= [...bucket.byUser.values()].filter((one) => one.userRelation !== ''));
    },
    byUser: (user) => [...(users.get(user) ?? none)],
    all: () =>
      [...objects.values()].flatMap((relations) =>
        [...relations.values()].flatMap((one) => [...one.byUser.values()]),
      ),
  };
  for (const tuple of tuples) memory.add(tuple);
  return memory;
}

/** Overlays the tuples of a request on stored ones; a request tuple replaces an equal stored one. */
export function overlay(above: MemoryTuples, below: TupleSource): TupleSource {
  const joined = (
    first: readonly Relationship[],
    second: readonly Relationship[],
  ): readonly Relationship[] => {
    if (first.length === 0) return second;
    return [
      ...first,
      ...second.filter((one) => above.find(one.object, one.relation, one.user) === undefined),
    ];
  };
  return {
    find: (object, relation, user) =>
      above.find(object, relation, user) ?? below.find(object, relation, user),
    of: (object, relation) => joined(above.of(object, relation), below.of(object, relation)),
    usersetsOf: (object, relation) =>
      joined(above.usersetsOf(object, relation), below.usersetsOf(object, relation)),
    byUser: (user) => joined(above.byUser(user), below.byUser(user)),
  };
}

function bucketOf(objects: Map<string, Map<string, Bucket>>, { object, relation }: Relationship): Bucket {
  let relations = objects.get(object);
  if (relations === undefined) objects.set(object, (relations = new Map<string, Bucket>()));
  let bucket = relations.get(relation);
  if (bucket === undefined)
    relations.set(relation, (bucket = { byUser: new Map(), all: undefined, usersets: undefined }));
  return bucket;
}
