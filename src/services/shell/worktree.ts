import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readPath } from './plain-file.js';

/** The repository that a root is a worktree of. */
export interface Repository {
  readonly folder: string;
  /** What it keeps of this worktree. */
  readonly own: string;
}

/**
 * A worktree keeps its commits in the repository that it was made from, which lies elsewhere: without it no command
 * could commit. The `.git` file of a workspace is believed only if the repository names this very worktree, for
 * everyone who could make it do so could write there already.
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
    // No repository, or one that cannot be read: then nothing of it is to be written.
    return undefined;
  }
}
