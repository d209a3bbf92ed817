import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

const maxDepth = 3;
const maxFolders = 2000;
const maxFound = 32;

/**
 * The repositories inside a folder, the nearest first. Looked for once: those that were there when the gate began are
 * the operator's, those that commands make later are their own to configure.
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
    // Not ours to read: then no command reads it either.
    return [];
  }
}
