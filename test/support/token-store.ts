import { type AccessStore, type Soon, StoreError } from '../../src/access/ports/index.js';
import { createMemoryStore } from '../../src/stores/memory/index.js';

/** A store in memory that can be asked late, counts what it is asked, and fails when it is told to. */
export interface TestStore {
  readonly store: AccessStore;
  /** The questions since the last look, such as `findToken`. */
  asked(): readonly string[];
  fail(): void;
  heal(): void;
  /** From now on, late answers to this question wait until what it gives is called; those asked before do not. */
  hold(question: string): () => void;
}

const questions = ['head', 'findToken', 'token', 'tokens', 'touchTokens'] as const;
const late: ReadonlySet<string> = new Set(['head', 'findToken', 'token']);

export function openTestStore(answers: 'at once' | 'late' = 'at once'): TestStore {
  const inner = createMemoryStore();
  let seen: string[] = [];
  let isBroken = false;
  const gates = new Map<string, Promise<void>>();

  function answer<T>(name: string, give: () => T): Soon<T> {
    seen.push(name);
    if (isBroken) throw new StoreError('store.unavailable', 'The store is away.');
    if (answers === 'at once' || !late.has(name)) return give();
    // As a server does: it reads when the question arrives, and the answer takes its time.
    const found = give();
    return (gates.get(name) ?? Promise.resolve()).then(() => found);
  }

  const store = new Proxy(inner, {
    get(target, name: keyof AccessStore) {
      const member = target[name];
      if (typeof member !== 'function' || !questions.some((question) => question === name)) return member;
      const ask = member as (...given: readonly unknown[]) => unknown;
      return (...given: readonly unknown[]): unknown => {
        if (answers === 'late' && isBroken) {
          seen.push(name);
          return Promise.reject(new StoreError('store.unavailable', 'The store is away.'));
        }
        return answer(name, () => ask.apply(target, [...given]));
      };
    },
  });

  return {
    store,
    asked() {
      const before = seen;
      seen = [];
      return before;
    },
    fail() {
      isBroken = true;
    },
    heal() {
      isBroken = false;
    },
    hold(question) {
      let open: () => void = () => {};
      gates.set(
        question,
        new Promise((resolve) => {
          open = resolve;
        }),
      );
      return () => {
        open();
        gates.delete(question);
      };
    },
  };
}
