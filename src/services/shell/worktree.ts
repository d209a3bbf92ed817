import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The repository that a root is a worktree of, and what no command may change in it. */
export interface Repository {
  readonly folder: string;
  readonly protectedPaths: readonly string[];
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
    const own = realpathSync(resolve(root, lineOf(pointer).replace(/^gitdir: /, '')));
    const isNamed = realpathSync(resolve(own, lineOf(join(own, 'gitdir')))) === realpathSync(pointer);
    const folder = dirname(dirname(own));
    const isBelow = realpathSync(resolve(own, lineOf(join(own, 'commondir')))) === folder;
    if (!isNamed || !isBelow || !statSync(join(folder, 'HEAD')).isFile()) return undefined;
    const ownConfig = join(relative(folder, own), 'config.worktree');
    return { folder, protectedPaths: ['hooks', 'config', 'config.worktree', ownConfig] };
  } catch {
    // No repository, or one that cannot be read: then nothing of it is to be written.
    return undefined;
  }
}

function lineOf(file: string): string {
  return readFileSync(file, 'utf8').split('\n')[0] ?? '';
}
