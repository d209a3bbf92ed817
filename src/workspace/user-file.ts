import { readFileSync } from 'node:fs';

/** The text of a user file; undefined if it cannot be read. */
export function userFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Missing or unreadable: ignored.
    return undefined;
  }
}
