import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLinkReader } from './git-links.js';
import { isInside } from './inside.js';
import { findNestedTrees } from './nested-trees.js';
import { findPlaces } from './protected-places.js';
import { isRepository } from './workspace-scan.js';

/** Whether git, as configured now, would run a file or read settings from it. For tools that write files. */
export type IsRunByGit = (path: string) => boolean;

/** `roots` and every path passed in are real paths. */
export function createGitGuard(roots: readonly string[], globalConfigs: readonly string[]): IsRunByGit {
  const readLinks = createLinkReader();
  let nestedTrees: readonly string[] | undefined;
  return (path) => {
    if (isPartOfRepository(path, roots)) return true;
    nestedTrees ??= roots.flatMap(findNestedTrees);
    const { paths, isOverfull } = findPlaces({
      roots,
      nestedTrees,
      nestedPlaces: [],
      readLinks,
      globalConfigs,
      protectedPaths: () => [],
    });
    if (isOverfull && isInTree(dirname(path), roots)) return true;
    const asked = folded(path);
    return paths.some((one) => isInside(asked, folded(one.replace(/\/$/, ''))));
  };
}

/** Whether a folder is in a repository below a root. */
function isInTree(folder: string, roots: readonly string[]): boolean {
  if (roots.includes(folder) || dirname(folder) === folder) return false;
  return existsSync(join(folder, '.git')) || isInTree(dirname(folder), roots);
}

const parts = new Set(['head', 'objects', 'refs', 'commondir']);
const orders = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks']);

/**
 * Whether a file configures a repository that git recognizes by its content, or turns a folder into one. Repositories
 * named `.git` are protected by name.
 */
function isPartOfRepository(path: string, roots: readonly string[]): boolean {
  const above = dirname(path);
  const folders: string[] = [];
  for (let folder = above; roots.some((root) => isInside(folder, root)); folder = dirname(folder))
    folders.push(folder);
  return folders.some((folder) => {
    const [name = ''] = path.slice(folder.length + 1).split('/');
    if (!parts.has(folded(name)) && !orders.has(folded(name))) return false;
    const has = (one: string): boolean => existsSync(join(folder, one));
    const isOne = isRepository(has);
    return isOne ? orders.has(folded(name)) : isRepository((one) => one === name || has(one));
  });
}

/** Some file systems treat two spellings as one name. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
