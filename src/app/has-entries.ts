import { readdirSync } from 'node:fs';

/** Whether there is anything in a folder, which need not exist. */
export function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    // No such folder: nobody has left anything there yet.
    return false;
  }
}
