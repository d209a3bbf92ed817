/** An LRU map. */
export interface Recent<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  clear(): void;
}

export function createRecent<K, V>(limit: number): Recent<K, V> {
  const known = new Map<K, V>();

  function put(key: K, value: V): void {
    known.delete(key);
    known.set(key, value);
  }

  return {
    get(key) {
      const value = known.get(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    set(key, value) {
      put(key, value);
      if (known.size <= limit) return;
      for (const oldest of known.keys()) {
        known.delete(oldest);
        return;
      }
    },
    clear: () => known.clear(),
  };
}
