import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ReadLinks } from './git-links.js';
import { isInside } from './inside.js';
import { firstLine, lookAt } from './plain-file.js';

/** What git acts on, beyond the configuration and the hooks of the one repository of a root. */
export interface GitPlaces {
  /** To be kept as they are, whether they exist or not. A slash at the end as in the table. */
  readonly paths: readonly string[];
  /** Can only be watched: missing or linked `.git`, and an index that hides what it holds. */
  readonly watched: readonly string[];
  /** Do not exist, and nothing but an attack makes them. */
  readonly never: readonly string[];
}

export interface GitGround {
  /** Nothing outside of these folders is of interest: no command can write there. */
  readonly grounds: readonly string[];
  /** Folders that may have a `.git`. */
  readonly workTrees: readonly string[];
  readonly gitFolders: readonly string[];
  /** What the table says of `.git`, relative to it. */
  readonly names: readonly string[];
  readonly readLinks: ReadLinks;
}

interface Walk extends GitGround {
  readonly paths: Set<string>;
  readonly watched: Set<string>;
  readonly never: Set<string>;
  readonly folders: Set<string>;
  readonly trees: Set<string>;
}

/** Each costs some mounts, and each mount a millisecond. Of more, the folder that holds them is kept as a whole. */
const maxInFolder = 32;
const maxTrees = 64;
const maxDepth = 6;

/** Walks from repository to repository as git does: to submodules, worktrees, and what the index has links to. */
export function findGitPlaces(ground: GitGround): GitPlaces {
  const walk: Walk = {
    ...ground,
    paths: new Set(),
    watched: new Set(),
    never: new Set(),
    folders: new Set(),
    trees: new Set(),
  };
  for (const folder of ground.gitFolders) visitFolder(walk, folder);
  for (const tree of ground.workTrees) visitTree(walk, tree);
  return { paths: [...walk.paths], watched: [...walk.watched], never: [...walk.never] };
}

function visitTree(walk: Walk, tree: string): void {
  if (walk.trees.has(tree) || walk.trees.size >= maxTrees || !isGround(walk, tree)) return;
  walk.trees.add(tree);
  const pointer = join(tree, '.git');
  const found = lookAt(pointer);
  // A file that leads to the repository is kept; a link cannot be, nor can what is not there.
  if (found === undefined || found.isSymbolicLink()) walk.watched.add(pointer);
  else if (!found.isDirectory()) walk.paths.add(pointer);
  const folder = gitFolderOf(tree);
  if (folder === undefined) return;
  visitFolder(walk, folder);
  const links = walk.readLinks(folder);
  if (links === undefined) walk.watched.add(join(folder, 'index'));
  for (const link of links ?? []) visitTree(walk, resolve(tree, link));
}

/** Where the repository of a work tree is. */
function gitFolderOf(tree: string): string | undefined {
  try {
    const pointer = join(tree, '.git');
    if (statSync(pointer).isDirectory()) return realpathSync(pointer);
    return realpathSync(resolve(tree, firstLine(pointer).replace(/^gitdir: /, '')));
  } catch {
    // None, or one that git does not find either.
    return undefined;
  }
}

function visitFolder(walk: Walk, folder: string): void {
  if (walk.folders.has(folder) || !isGround(walk, folder)) return;
  walk.folders.add(folder);
  const common = commonOf(folder);
  if (common !== undefined) {
    for (const name of ofWorktree(walk)) walk.paths.add(join(folder, name));
    return visitFolder(walk, common);
  }
  for (const name of walk.names) walk.paths.add(join(folder, name));
  walk.never.add(join(folder, 'commondir'));
  visitAll(walk, join(folder, 'worktrees'), (path) => namesIn(path).map((name) => join(path, name)));
  visitAll(walk, join(folder, 'modules'), (path) => modulesIn(path, maxDepth));
}

function visitAll(walk: Walk, path: string, find: (path: string) => readonly string[]): void {
  const found = find(path);
  if (found.length > maxInFolder) walk.paths.add(path);
  for (const folder of found.slice(0, maxInFolder)) visitFolder(walk, folder);
}

/** A worktree has hooks, configuration and objects from the repository that it belongs to. */
function ofWorktree({ names }: Walk): readonly string[] {
  return names.filter((name) => !/^(?:hooks\/?|config|objects\/.*)$/.test(name));
}

function commonOf(folder: string): string | undefined {
  try {
    return realpathSync(resolve(folder, firstLine(join(folder, 'commondir'))));
  } catch {
    return undefined;
  }
}

/** Submodules may have slashes in their names. */
function modulesIn(path: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  return namesIn(path).flatMap((name) => {
    const inner = join(path, name);
    return existsSync(join(inner, 'HEAD')) ? [inner] : modulesIn(inner, depth - 1);
  });
}

const maxNames = 200;

/** The folders in a folder, some more than are of interest at most. */
function namesIn(path: string): readonly string[] {
  try {
    const found = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return found.map((entry) => entry.name).slice(0, maxNames);
  } catch {
    // There is none, which is the usual case.
    return [];
  }
}

function isGround({ grounds }: Walk, path: string): boolean {
  return grounds.some((ground) => isInside(path, ground));
}
