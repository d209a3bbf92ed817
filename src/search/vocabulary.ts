import { ownCopy } from './words.js';

/** Numbers for terms. A number lives as long as a server uses its term, so the vocabulary is bounded by the catalog. */
export interface Vocabulary {
  /** For one server: each term counts as used once, however often it is taken. */
  open(): { readonly take: (term: string) => number; readonly use: (id: number) => void };
  release(id: number): void;
  find(term: string): number | undefined;
  nameOf(id: number): string;
  /** All numbers are below this. */
  limit(): number;
}

export function createVocabulary(): Vocabulary {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const uses: number[] = [];
  const free: number[] = [];
  const takers: number[] = [];
  let opened = 0;
  const use = (id: number, taker: number): void => {
    if (takers[id] === taker) return;
    takers[id] = taker;
    uses[id] = (uses[id] ?? 0) + 1;
  };
  const numberOf = (term: string): number => {
    const known = ids.get(term);
    if (known !== undefined) return known;
    const id = free.pop() ?? names.length;
    const name = ownCopy(term);
    ids.set(name, id);
    names[id] = name;
    uses[id] = 0;
    takers[id] = 0;
    return id;
  };
  return {
    open() {
      opened += 1;
      const taker = opened;
      const take = (term: string): number => {
        const id = numberOf(term);
        use(id, taker);
        return id;
      };
      return { take, use: (id) => use(id, taker) };
    },
    release(id) {
      const left = (uses[id] ?? 0) - 1;
      uses[id] = left;
      if (left > 0) return;
      ids.delete(names[id] ?? '');
      names[id] = '';
      free.push(id);
    },
    find: (term) => ids.get(term),
    nameOf: (id) => names[id] ?? '',
    limit: () => names.length,
  };
}
