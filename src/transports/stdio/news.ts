import type { LineWriter } from './line-writer.js';

/** Notifications for a client that may not be reading. */
export interface News {
  /** Writes the notification, or keeps it until the client reads. Equal ones are merged. */
  tell(text: string): void;
  /** Writes what was kept, as far as the client reads. */
  flush(): void;
}

/** Limit of kept notifications; the oldest are dropped first. */
const maxNews = 1000;

export function createNews(writer: LineWriter): News {
  const kept = new Set<string>();
  return {
    tell(text) {
      if (kept.size === 0 && !writer.isFull()) return writer.write(text);
      kept.add(text);
      const [oldest] = kept;
      if (kept.size > maxNews && oldest !== undefined) kept.delete(oldest);
    },
    flush() {
      for (const text of kept) {
        if (writer.isFull()) return;
        kept.delete(text);
        writer.write(text);
      }
    },
  };
}
