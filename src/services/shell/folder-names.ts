import { type Dirent, opendirSync } from 'node:fs';

/** What is in a folder, up to a number of entries: commands can fill one with millions. Throws where there is none. */
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
