import { isAbsolute, join } from 'node:path';
import type { ArmedCause } from './armed-trees.js';
import type { ReadLinks } from './git-links.js';
import { findGitPlaces } from './git-places.js';
import { repositoryOf } from './worktree.js';

export interface PlaceParts {
  readonly roots: readonly string[];
  /**
   * What no command may change in a root, absolute or relative to it. A trailing slash marks folders that must not be
   * created.
   */
  readonly protectedPaths: (root: string) => readonly string[];
  /** Repositories inside the roots, in addition to those that git reaches from a root. */
  readonly nestedTrees: readonly string[];
  /** What existed in protected places below the top of a root when the gateway started. */
  readonly nestedPlaces: readonly string[];
  readonly readLinks: ReadLinks;
  /** Configuration that git reads in every repository. */
  readonly globalConfigs: readonly string[];
}

/** What no command may change, given the current state of the disk. */
export interface ProtectedPlaces {
  /** The folders that commands can write to: the roots, and the repositories that they are worktrees of. */
  readonly grounds: readonly string[];
  /** Absolute paths, existing or not. A trailing slash means the same as above. */
  readonly paths: readonly string[];
  /** Paths that can't be protected, only watched. */
  readonly watched: readonly string[];
  /** Paths that do not exist and that only an attack creates. */
  readonly never: readonly string[];
  /** Links on the paths to files that git runs, with their targets. */
  readonly links: ReadonlyMap<string, string>;
  /** What may make git run something in a work tree. */
  readonly armed: readonly ArmedCause[];
  /** There are more work trees than can be protected, so no command may run. */
  readonly isOverfull: boolean;
}

const ofGit = '.git/';

export function findPlaces(parts: PlaceParts, isKnown?: (cause: ArmedCause) => boolean): ProtectedPlaces {
  const { roots, protectedPaths, nestedTrees, nestedPlaces, readLinks, globalConfigs } = parts;
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
    globalConfigs,
    isKnown,
  });
  const own = rows.map(([root, row]) => (isAbsolute(row) ? row : join(root, row)));
  return { ...git, grounds, paths: [...new Set([...own, ...git.paths, ...nestedPlaces])] };
}
