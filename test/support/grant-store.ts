import { randomUUID } from 'node:crypto';
import type {
  GrantChange,
  GrantChanges,
  GrantKey,
  GrantStore,
  GrantTuple,
  Soon,
  ZoneHead,
} from '../../src/access/ports/index.js';

/** A store of tuples whose every answer a test can hold back, take away or make come later. */
export interface FakeGrants extends GrantStore {
  put(...tuples: readonly (readonly [user: string, relation: string, object: string])[]): void;
  take(...tuples: readonly (readonly [user: string, relation: string, object: string])[]): void;
  add(tuple: GrantTuple): void;
  /** Every read throws this from now on. */
  fail(error: Error | undefined): void;
  /** Says that something changed, as another process would. */
  tell(): void;
  /** How often the head was read. */
  readonly reads: number;
}

export function createFakeGrants(when: 'at once' | 'later', zone = 'local'): FakeGrants {
  const log: GrantChange[] = [];
  const listeners = new Set<(zone: string) => void>();
  let failure: Error | undefined;
  let reads = 0;
  const answer = <T>(make: () => T): Soon<T> => {
    const now = (): T => {
      if (failure) throw failure;
      return make();
    };
    return when === 'at once' ? now() : new Promise((resolve) => setImmediate(resolve)).then(now);
  };
  const keyed = (change: 'add' | 'remove', words: readonly (readonly [string, string, string])[]): void => {
    for (const [user, relation, object] of words)
      log.push({ kind: change, tuple: { user, relation, object } });
  };
  const origin = randomUUID();
  const headAt = (revision: number): ZoneHead => ({
    revision,
    history: `${origin}/${String(revision)}`,
    origin,
  });
  const changesFrom = (from: string | undefined): GrantChanges => {
    const head = headAt(log.length);
    const since = log.findIndex((_, revision) => headAt(revision).history === from);
    if (from === head.history) return { kind: 'changes', head, changes: [] };
    return since === -1
      ? { kind: 'all', head, tuples: present(log) }
      : { kind: 'changes', head, changes: log.slice(since) };
  };
  return {
    put: (...words) => keyed('add', words),
    take: (...words) => keyed('remove', words),
    add: (tuple) => void log.push({ kind: 'add', tuple }),
    fail: (error) => {
      failure = error;
    },
    tell: () => {
      for (const listener of listeners) listener(zone);
    },
    get reads() {
      return reads;
    },
    head: (asked) => {
      reads += 1;
      return answer(() => headAt(asked === zone ? log.length : 0));
    },
    changes: (asked, from) =>
      answer(() => (asked === zone ? changesFrom(from) : { kind: 'all', head: headAt(0), tuples: [] })),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    write: () => Promise.reject(new Error('not for this test')),
    grants: () => Promise.reject(new Error('not for this test')),
  };
}

function present(log: readonly GrantChange[]): readonly GrantTuple[] {
  const tuples = new Map<string, GrantTuple>();
  const key = ({ user, relation, object }: GrantKey): string => `${user} ${relation} ${object}`;
  for (const change of log) {
    if (change.kind === 'add') tuples.set(key(change.tuple), change.tuple);
    else tuples.delete(key(change.tuple));
  }
  return [...tuples.values()];
}
