import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lookAt, readPath } from './plain-file.js';

/** The real path of a work tree's repository. */
export function gitFolderOf(tree: string): string | undefined {
  try {
    const pointer = join(tree, '.git');
    if (statSync(pointer).isDirectory()) return realpathSync(pointer);
    return realpathSync(resolve(tree, readPath(pointer, 'gitdir: ')));
  } catch {
    // There is no repository, or the pointer counts as armed.
    return undefined;
  }
}

/** The folder with a worktree's configuration and hooks. */
export function commonOf(folder: string): string | undefined {
  try {
    return realpathSync(resolve(folder, readPath(join(folder, 'commondir'))));
  } catch {
    return undefined;
  }
}

/**
 * True if a folder is the repository's own record of a worktree, so that its `commondir` can't point to another one.
 */
export function isOwnWorktree(folder: string, common: string): boolean {
  return (
    dirname(folder) === join(common, 'worktrees') && lookAt(join(folder, 'commondir'))?.isFile() === true
  );
}
