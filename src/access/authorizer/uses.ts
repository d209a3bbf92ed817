/** Counts uses per key; a key is removed at zero. */
export interface Uses {
  count(key: string, by: 1 | -1): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
  clear(): void;
}

export function createUses(): Uses {
  const uses = new Map<string, number>();
  return {
    count(key, by) {
      const sum = (uses.get(key) ?? 0) + by;
      if (sum > 0) uses.set(key, sum);
      else uses.delete(key);
    },
    has: (key) => uses.has(key),
    keys: () => uses.keys(),
    clear: () => uses.clear(),
  };
}
