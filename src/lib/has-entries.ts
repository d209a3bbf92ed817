import { readdirSync } from 'node:fs';

/** Whether the folder exists and is not empty. */
export function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    // The folder does not exist.
    return false;
  }
}
