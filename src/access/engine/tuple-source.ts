import type { Relationship } from './tuple.js';

/**
 * The narrow reads that answers are made of. They are synchronous, because a check must cost microseconds: a store
 * that cannot answer at once keeps a copy of its tuples, or is asked through `answerFrom`.
 */
export interface TupleSource {
  /** The tuple with exactly these three words. */
  find(object: string, relation: string, user: string): Relationship | undefined;
  /** All tuples of an object's relation. */
  of(object: string, relation: string): readonly Relationship[];
  /** Those of them whose user is a userset of that type and relation, or of any when none is given. */
  usersetsOf(object: string, relation: string): readonly Relationship[];
  /** All tuples in which exactly this user stands. */
  byUser(user: string): readonly Relationship[];
}

/** The same reads for a store that answers later. */
export interface AsyncTupleSource {
  of(object: string, relation: string): Promise<readonly Relationship[]>;
  byUser(user: string): Promise<readonly Relationship[]>;
}

/** How often an answer may stop to wait for its store. */
const maxRounds = 10_000;

/**
 * Answers a question from a store that answers later: the question is asked again whenever a read it needed has
 * come. All reads of one answer are kept, so it sees each of them once; the store must give them from one revision.
 */
export async function answerFrom<T>(source: AsyncTupleSource, ask: (source: TupleSource) => T): Promise<T> {
  const reads = new Map<string, readonly Relationship[]>();
  let wanted: { readonly key: string; read(): Promise<readonly Relationship[]> } | undefined;
  const waiting = Symbol('waiting for a read');
  const read = (key: string, start: () => Promise<readonly Relationship[]>): readonly Relationship[] => {
    const known = reads.get(key);
    if (known !== undefined) return known;
    wanted = { key, read: start };
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- not an error, and nobody else may catch it as one
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
