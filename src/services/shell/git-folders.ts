import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lookAt, readPath } from './plain-file.js';

/** Where the repository of a work tree is. */
export function gitFolderOf(tree: string): string | undefined {
  try {
    const pointer = join(tree, '.git');
    if (statSync(pointer).isDirectory()) return realpathSync(pointer);
    return realpathSync(resolve(tree, readPath(pointer, 'gitdir: ')));
  } catch {
    // None, or a pointer that counts as armed.
    return undefined;
  }
}

/** Where a worktree has its configuration and hooks. */
export function commonOf(folder: string): string | undefined {
  try {
    return realpathSync(resolve(folder, readPath(join(folder, 'commondir'))));
  } catch {
    return undefined;
  }
}

/** Whether a folder is what a repository keeps of a worktree, so that its `commondir` leads nowhere else. */
export function isOwnWorktree(folder: string, common: string): boolean {
  return (
    dirname(folder) === join(common, 'worktrees') && lookAt(join(folder, 'commondir'))?.isFile() === true
  );
}
