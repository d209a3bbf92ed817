import { resolve } from 'node:path';
import { statsOf } from './stats-of.js';

/**
 * How far a text can load or start files by names that cannot be read from it: not at all, in the folder of the file, in the
 * folder that it runs in as well, or anywhere in the workspace.
 */
export type Reach = 'nothing' | 'own' | 'cwd' | 'root';

interface Entering {
  readonly bases: Set<string>;
  addFile(path: string): void;
  fail(reason: string): void;
  addReach(reach: Reach, bases: Iterable<string>): void;
}

const maxEntered = 500;

function tooMany(gathering: Entering): readonly string[] {
  gathering.fail(`a script changes to more than ${String(maxEntered)} folders`);
  return [];
}

/** Folders that a shell changes to, in order: relative names start there, and everything in them is covered. */
export function addEntered(
  gathering: Entering,
  folders: readonly string[],
  from: Iterable<string>,
): readonly string[] {
  const before = new Set(from);
  const known = new Set(before);
  if (folders.length > maxEntered) return tooMany(gathering);
  for (const folder of folders)
    for (const base of [...known]) {
      if (known.size > maxEntered) return tooMany(gathering);
      const path = resolve(base, folder);
      if (statsOf(path)?.isDirectory() !== true) continue;
      known.add(path);
      gathering.bases.add(path);
      // A link out of the workspace counts by its target.
      gathering.addFile(path);
      gathering.addReach('cwd', [path]);
    }
  return [...known].filter((path) => !before.has(path));
}
