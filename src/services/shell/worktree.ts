import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readPath } from './plain-file.js';

/** The repository that a root is a worktree of. */
export interface Repository {
  readonly folder: string;
  /** The repository's own folder for this worktree. */
  readonly own: string;
}

/**
 * A worktree keeps its commits in another repository outside the root, and commands need it to commit. The `.git` file
 * is trusted only if that repository names this worktree: a program that could change that can already write there.
 */
export function repositoryOf(root: string): Repository | undefined {
  try {
    const pointer = join(root, '.git');
    if (!statSync(pointer).isFile()) return undefined;
    const own = realpathSync(resolve(root, readPath(pointer, 'gitdir: ')));
    const isNamed = realpathSync(resolve(own, readPath(join(own, 'gitdir')))) === realpathSync(pointer);
    const folder = dirname(dirname(own));
    const isBelow = realpathSync(resolve(own, readPath(join(own, 'commondir')))) === folder;
    if (!isNamed || !isBelow || !statSync(join(folder, 'HEAD')).isFile()) return undefined;
    return { folder, own };
  } catch {
    // There is no repository, or it can't be read, so commands may not write to it.
    return undefined;
  }
}
