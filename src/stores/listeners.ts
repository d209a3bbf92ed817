/** Whoever wants a hint that a zone changed. */
export interface ZoneListeners {
  readonly size: number;
  add(listener: (zone: string) => void): () => void;
  tell(zone: string): void;
  clear(): void;
}

export function createListeners(): ZoneListeners {
  const entries = new Set<{ readonly listener: (zone: string) => void }>();
  return {
    get size() {
      return entries.size;
    },
    add(listener) {
      // In an entry of its own: the same function may listen twice.
      const entry = { listener };
      entries.add(entry);
      return () => entries.delete(entry);
    },
    tell(zone) {
      for (const { listener } of [...entries]) {
        try {
          listener(zone);
        } catch {
          // It was only a hint, and the change is made: who fails over it must not stop its neighbours.
        }
      }
    },
    clear: () => entries.clear(),
  };
}
