import { readFileSync } from 'node:fs';

/** The text of a file of the user. */
export function userFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there, or not ours to read: then it has no say.
    return undefined;
  }
}
