/** Numbers for terms. A number lives as long as a server uses its term, so the vocabulary never outgrows the catalogue. */
export interface Vocabulary {
  /** The term's number, counted as used once more. */
  take(term: string): number;
  release(id: number): void;
  find(term: string): number | undefined;
  nameOf(id: number): string;
  /** Numbers are below this. */
  limit(): number;
}

export function createVocabulary(): Vocabulary {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const uses: number[] = [];
  const free: number[] = [];
  return {
    take(term) {
      const known = ids.get(term);
      const id = known ?? free.pop() ?? names.length;
      if (known === undefined) {
        ids.set(term, id);
        names[id] = term;
        uses[id] = 0;
      }
      uses[id] = (uses[id] ?? 0) + 1;
      return id;
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
