import type { Relationship } from './tuple.js';

/**
 * The reads that the engine needs. They are synchronous, because a check must cost microseconds. An asynchronous store
 * keeps a copy of its tuples, or is used through `answerFrom`.
 */
export interface TupleSource {
  /** The tuple with exactly these values. */
  find(object: string, relation: string, user: string): Relationship | undefined;
  /** All tuples of an object's relation. */
  of(object: string, relation: string): readonly Relationship[];
  /** Those whose user is a userset of that type and relation, or any userset by default. */
  usersetsOf(object: string, relation: string): readonly Relationship[];
  /** All tuples of exactly this user. */
  byUser(user: string): readonly Relationship[];
}

/** The same reads for an asynchronous store. */
export interface AsyncTupleSource {
  of(object: string, relation: string): Promise<readonly Relationship[]>;
  byUser(user: string): Promise<readonly Relationship[]>;
}

/** Maximum number of waits per answer. */
const maxRounds = 10_000;

/**
 * Answers a question from an asynchronous store: the question is repeated whenever a missing read has arrived. All reads
 * of one answer are kept, so each is done once; the store must serve them from one revision.
 */
export async function answerFrom<T>(source: AsyncTupleSource, ask: (source: TupleSource) => T): Promise<T> {
  const reads = new Map<string, readonly Relationship[]>();
  let wanted: { readonly key: string; read(): Promise<readonly Relationship[]> } | undefined;
  const waiting = Symbol('waiting for a read');
  const read = (key: string, start: () => Promise<readonly Relationship[]>): readonly Relationship[] => {
    const known = reads.get(key);
    if (known !== undefined) return known;
    wanted = { key, read: start };
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- not an error, and no other code may catch it as one
    throw waiting;
  };
  const of = (object: string, relation: string): readonly Relationship[] =>
    read(`${object}#${relation}`, () => source.of(object, relation));
  const snapshot: TupleSource = {
    of,
    find: (object, relation, user) => of(object, relation).find((one) => one.user === user),
    usersetsOf: (object, relation) => of(object, relation).filter((one) => one.userRelation !== ''),
    byUser: (user) => read(`@${user}`, () => source.byUser(user)),
  };
  for (let round = 0; round < maxRounds; round++) {
    try {
      return ask(snapshot);
    } catch (error) {
      if (error !== waiting || wanted === undefined) throw error;
      reads.set(wanted.key, await wanted.read());
    }
  }
  throw new Error('the answer needed too many reads');
}
