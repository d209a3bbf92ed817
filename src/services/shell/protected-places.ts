import { isAbsolute, join } from 'node:path';
import type { ReadLinks } from './git-links.js';
import { findGitPlaces } from './git-places.js';
import { repositoryOf } from './worktree.js';

export interface PlaceParts {
  readonly roots: readonly string[];
  /** What no command may change in a root, absolute or relative to it; a slash at the end of what must not come to be. */
  readonly protectedPaths: (root: string) => readonly string[];
  /** Repositories inside the roots, beyond those that git finds by itself. */
  readonly nestedTrees: readonly string[];
  readonly readLinks: ReadLinks;
}

/** What no command may change, as the disk is now. */
export interface ProtectedPlaces {
  /** What commands can write to: the roots, and the repositories that these are worktrees of. */
  readonly grounds: readonly string[];
  /** Absolute, there or not; a slash at the end as above. */
  readonly paths: readonly string[];
  /** Those that nothing can keep, only look at. */
  readonly watched: readonly string[];
  /** Those that do not exist and that nothing but an attack makes. */
  readonly never: readonly string[];
}

const ofGit = '.git/';

export function findPlaces({ roots, protectedPaths, nestedTrees, readLinks }: PlaceParts): ProtectedPlaces {
  const repositories = roots.map(repositoryOf).filter((repository) => repository !== undefined);
  const gitFolders = repositories.flatMap(({ folder, own }) => [folder, own]);
  const grounds = [...roots, ...gitFolders];
  const rows = roots.flatMap((root) => protectedPaths(root).map((row) => [root, row] as const));
  const names = rows.filter(([, row]) => row.startsWith(ofGit)).map(([, row]) => row.slice(ofGit.length));
  const git = findGitPlaces({
    grounds,
    gitFolders,
    readLinks,
    workTrees: [...roots, ...nestedTrees],
    names: [...new Set(names)],
  });
  const own = rows.map(([root, row]) => (isAbsolute(row) ? row : join(root, row)));
  return { ...git, grounds, paths: [...new Set([...own, ...git.paths])] };
}
