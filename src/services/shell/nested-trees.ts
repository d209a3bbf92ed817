import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

const maxDepth = 3;
const maxFolders = 2000;
const maxFound = 32;

/**
 * Finds the repositories inside a folder, nearest first. Call it once: repositories that exist at start belong to the
 * operator, and commands may configure the ones they create later.
 */
export function findNestedTrees(root: string): readonly string[] {
  const found: string[] = [];
  let level: readonly string[] = [root];
  let looked = 0;
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      if (looked >= maxFolders || found.length >= maxFound) return found;
      looked += 1;
      const entries = entriesOf(folder);
      if (folder !== root && entries.some(({ name }) => name === '.git')) found.push(folder);
      for (const entry of entries) if (isOfInterest(entry)) next.push(join(folder, entry.name));
    }
    level = next;
  }
  return found;
}

function isOfInterest(entry: Dirent): boolean {
  return entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git';
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // This process can't read the folder, so no command can either.
    return [];
  }
}
