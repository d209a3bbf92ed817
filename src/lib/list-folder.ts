import { readdirSync } from 'node:fs';

/** The names in a folder. A folder that is missing or cannot be read counts as empty. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
