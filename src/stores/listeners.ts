/** Listeners that get a hint when a zone changes. */
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
      // Wrapped, because the same function may subscribe twice.
      const entry = { listener };
      entries.add(entry);
      return () => entries.delete(entry);
    },
    tell(zone) {
      for (const { listener } of [...entries]) {
        try {
          listener(zone);
        } catch {
          // The change is already made: a failing listener must not stop the others.
        }
      }
    },
    clear: () => entries.clear(),
  };
}
