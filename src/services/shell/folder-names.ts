import { type Dirent, opendirSync } from 'node:fs';

/**
 * Lists up to `limit` entries of a folder: commands can fill one with millions. Throws if the folder does not exist.
 */
export function entriesIn(folder: string, limit: number): readonly Dirent[] {
  const entries: Dirent[] = [];
  const opened = opendirSync(folder);
  try {
    while (entries.length < limit) {
      const entry = opened.readSync();
      if (entry === null) break;
      entries.push(entry);
    }
    return entries;
  } finally {
    opened.closeSync();
  }
}
