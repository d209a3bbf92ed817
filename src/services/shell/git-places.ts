import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type ArmedCause, causesIn } from './armed-trees.js';
import { entriesIn } from './folder-names.js';
import { followLinks } from './follow-links.js';
import { commonOf, gitFolderOf } from './git-folders.js';
import type { ReadLinks } from './git-links.js';
import { type ConfigReading, findGitRuns, hookNames, linkedHooks, newConfigReading } from './git-runs.js';
import { isInside } from './inside.js';
import { lookAt, readPath } from './plain-file.js';

/** What git acts on, beyond the configuration and hooks of a root's own repository. */
export interface GitPlaces {
  /** Paths to protect, existing or not. A trailing slash means the same as in the table. */
  readonly paths: readonly string[];
  /** Paths that can only be watched: a missing or linked `.git`, and an index that hides its content. */
  readonly watched: readonly string[];
  /** Paths that do not exist and that only an attack creates. */
  readonly never: readonly string[];
  /** Links on the paths to files that git runs, with their targets. A mount can't hold a link. */
  readonly links: ReadonlyMap<string, string>;
  /** What may make git run something in a work tree. */
  readonly armed: readonly ArmedCause[];
  /** There are more work trees than can be protected, so no command may run. */
  readonly isOverfull: boolean;
}

export interface GitGround {
  /** Only paths in these folders matter: commands can't write anywhere else. */
  readonly grounds: readonly string[];
  /** Folders that may have a `.git`. */
  readonly workTrees: readonly string[];
  readonly gitFolders: readonly string[];
  /** The table's rows for `.git`, relative to it. */
  readonly names: readonly string[];
  /** Configuration that git reads in every repository. */
  readonly globalConfigs: readonly string[];
  readonly readLinks: ReadLinks;
  /** If given, a work tree with any other cause is not inspected: what it names could be endless. */
  readonly isKnown?: ((cause: ArmedCause) => boolean) | undefined;
}

interface Walk extends Omit<GitGround, 'readLinks'> {
  readonly readLinks: (gitFolder: string) => readonly string[] | undefined;
  readonly paths: Set<string>;
  readonly watched: Set<string>;
  readonly never: Set<string>;
  readonly links: Map<string, string>;
  readonly folders: Set<string>;
  readonly trees: Set<string>;
  readonly armed: ArmedCause[];
  readonly causes: Map<string, readonly ArmedCause[]>;
  readonly reading: ConfigReading;
  /** Work trees that are protected as a whole. */
  readonly whole: Set<string>;
  isOverfull: boolean;
}

/**
 * Each costs several mounts, and each mount a millisecond. Above the limit, the folder that holds them is protected as
 * a whole.
 */
const maxInFolder = 32;
const maxTrees = 64;
/**
 * Above `maxTrees`, a work tree is protected as a whole, which costs one mount. Above this limit too, no command runs.
 */
const maxWhole = 448;
const maxDepth = 6;
/** Limits the entries of a folder, and the folders below `modules`. */
const maxLooked = 1000;
/** For indexes that changed since they were last read. */
const maxLinkBytes = 128 * 1024 * 1024;

/** Walks from repository to repository as git does: to submodules, worktrees and the links in the index. */
export function findGitPlaces(ground: GitGround): GitPlaces {
  const budget = { bytes: maxLinkBytes };
  const walk: Walk = {
    ...ground,
    readLinks: (gitFolder) => ground.readLinks(gitFolder, budget),
    paths: new Set(),
    watched: new Set(),
    never: new Set(),
    links: new Map(),
    folders: new Set(),
    trees: new Set(),
    armed: [],
    causes: new Map(),
    reading: newConfigReading(),
    whole: new Set(),
    isOverfull: false,
  };
  for (const folder of ground.gitFolders) visitFolder(walk, folder);
  for (const tree of ground.workTrees) visitTree(walk, tree);
  for (const tree of ground.workTrees) visitAround(walk, tree);
  for (const config of ground.globalConfigs) keepTarget(walk, config);
  const { paths, watched, never, links, armed, isOverfull } = walk;
  return { paths: [...paths], watched: [...watched], never: [...never], links, armed, isOverfull };
}

/** A root may be a folder of a larger work tree, whose configuration and hooks can point back into the root. */
function visitAround(walk: Walk, tree: string): void {
  const above = dirname(tree);
  if (above === tree) return;
  const folder = lookAt(join(above, '.git')) === undefined ? undefined : gitFolderOf(above);
  if (folder === undefined) return visitAround(walk, above);
  keepRuns(walk, above, folder);
}

/** Protects what a repository's configuration makes git run or read, as far as commands could change it. */
function keepRuns(walk: Walk, tree: string, folder: string): void {
  const common = commonOf(folder) ?? folder;
  const configs = [join(common, 'config'), join(folder, 'config.worktree'), ...walk.globalConfigs];
  const { included, hookFolders, commandFiles } = findGitRuns({ tree, configs, reading: walk.reading });
  for (const file of included) {
    keepTarget(walk, file);
    if (isGround(walk, file) && lookAt(file) === undefined) walk.never.add(file);
  }
  for (const file of commandFiles) keepTarget(walk, file);
  for (const hooks of [join(common, 'hooks'), ...hookFolders]) {
    const isWide = walk.grounds.some((ground) => isInside(ground, hooks));
    for (const path of isWide ? hookNames.map((name) => join(hooks, name)) : [`${hooks}/`])
      keepTarget(walk, path);
    for (const link of linkedHooks(hooks)) keepTarget(walk, link);
  }
}

/** Protects a path and its target, across any number of links. */
function keepTarget(walk: Walk, path: string): void {
  const end = path.endsWith('/') ? '/' : '';
  const { links, real } = followLinks(path.slice(0, path.length - end.length));
  for (const one of [path, `${real}${end}`]) if (isGround(walk, one)) walk.paths.add(one);
  for (const [link, target] of links) if (isGround(walk, link)) walk.links.set(link, target);
}

/** `from`: the work tree whose index links to this one. */
function visitTree(walk: Walk, tree: string, from?: ArmedCause): void {
  if (from !== undefined) noteLink(walk, { ...from, link: tree });
  if (walk.trees.has(tree) || !isGround(walk, tree)) return;
  if (!noteArmed(walk, tree)) return;
  if (walk.trees.size >= maxTrees) return keepWhole(walk, tree, from);
  walk.trees.add(tree);
  const pointer = join(tree, '.git');
  const found = lookAt(pointer);
  // A pointer file can be protected; a link or a missing path can't.
  if (found === undefined || found.isSymbolicLink()) walk.watched.add(pointer);
  else if (!found.isDirectory()) walk.paths.add(pointer);
  const folder = gitFolderOf(tree);
  if (folder === undefined) return;
  visitFolder(walk, folder);
  keepRuns(walk, tree, folder);
  const links = walk.readLinks(folder);
  if (links === undefined) keepIndex(walk, join(folder, 'index'));
  const index = { tree, cause: join(folder, 'index') };
  for (const link of links ?? []) visitTree(walk, resolve(tree, link), index);
}

/**
 * Entering a known repository that runs something is up to the operator. If an index newly leads git into it, that
 * index is the cause.
 */
function noteLink(walk: Walk, link: ArmedCause & { readonly link: string }): void {
  const { isKnown = () => true } = walk;
  if (!isGround(walk, link.link)) return;
  const causes = ownCauses(walk, link.link);
  if (causes.length > 0 && causes.every(isKnown)) walk.armed.push(link);
}

/**
 * Nothing in the tree is inspected, so nothing in it may be written. A tree that is not checked out is only watched.
 */
function keepWhole(walk: Walk, tree: string, from?: ArmedCause): void {
  if (walk.whole.has(tree)) return;
  if (walk.whole.size >= maxWhole) {
    walk.isOverfull = true;
    // Otherwise one command could block all later ones.
    if (from !== undefined) walk.armed.push({ ...from, link: tree });
    return;
  }
  walk.whole.add(tree);
  const pointer = join(tree, '.git');
  if (lookAt(pointer) === undefined) walk.watched.add(pointer);
  else walk.paths.add(tree);
}

/** The links in this index are unknown, so no command may add more. */
function keepIndex(walk: Walk, index: string): void {
  walk.watched.add(index);
  if (isGround(walk, index)) walk.paths.add(index);
}

/** False if the tree must not be inspected. */
function noteArmed(walk: Walk, tree: string): boolean {
  const { isKnown = () => true } = walk;
  const causes = [...ownCauses(walk, tree)];
  // Further trees are not inspected, so this one must not lead to more.
  const folder = walk.trees.size < maxTrees ? undefined : gitFolderOf(tree);
  if (folder !== undefined && walk.readLinks(folder)?.length !== 0)
    causes.push({ tree, cause: join(folder, 'index') });
  walk.armed.push(...causes);
  return causes.every(isKnown);
}

function ownCauses(walk: Walk, tree: string): readonly ArmedCause[] {
  const known = walk.causes.get(tree);
  if (known !== undefined) return known;
  const causes = causesIn(tree, walk.readLinks);
  walk.causes.set(tree, causes);
  return causes;
}

function visitFolder(walk: Walk, folder: string): void {
  if (walk.folders.has(folder) || !isGround(walk, folder)) return;
  walk.folders.add(folder);
  const tree = treeOf(folder);
  if (tree !== undefined) keepRuns(walk, tree, folder);
  const common = commonOf(folder);
  const worktreeConfig = join(folder, 'config.worktree');
  if (lookAt(worktreeConfig) === undefined) walk.never.add(worktreeConfig);
  if (common !== undefined) {
    for (const name of ofWorktree(walk)) walk.paths.add(join(folder, name));
    return visitFolder(walk, common);
  }
  for (const name of walk.names) walk.paths.add(join(folder, name));
  walk.never.add(join(folder, 'commondir'));
  visitAll(walk, join(folder, 'worktrees'), (path) => namesIn(path).map((name) => join(path, name)));
  visitAll(walk, join(folder, 'modules'), allModulesIn);
}

/** The work tree of a repository, if its folder says which: that of a worktree, or the one around it. */
function treeOf(folder: string): string | undefined {
  if (basename(folder) === '.git') return dirname(folder);
  try {
    return dirname(resolve(folder, readPath(join(folder, 'gitdir'))));
  } catch {
    // The repository belongs to a submodule: the index leads to its work tree.
    return undefined;
  }
}

/** `find` returns undefined if there is too much to inspect. */
function visitAll(walk: Walk, path: string, find: (path: string) => readonly string[] | undefined): void {
  const found = find(path);
  if (found === undefined || found.length > maxInFolder) walk.paths.add(path);
  for (const folder of (found ?? []).slice(0, maxInFolder)) visitFolder(walk, folder);
}

/** A worktree uses the hooks, configuration and objects of its repository. */
function ofWorktree({ names }: Walk): readonly string[] {
  return names.filter((name) => !/^(?:hooks\/?|config|objects\/.*)$/.test(name));
}

/** Names of submodules may contain slashes. */
function allModulesIn(modules: string): readonly string[] | undefined {
  let left = maxLooked;
  const modulesIn = (path: string, depth: number): readonly string[] => {
    if (depth === 0 || left < 0) return [];
    return namesIn(path).flatMap((name) => {
      const inner = join(path, name);
      left -= 1;
      return existsSync(join(inner, 'HEAD')) ? [inner] : modulesIn(inner, depth - 1);
    });
  };
  const found = modulesIn(modules, maxDepth);
  return left < 0 ? undefined : found;
}

/** The subfolders of a folder, from at most `maxLooked` entries. */
function namesIn(path: string): readonly string[] {
  try {
    const found = entriesIn(path, maxLooked).filter((entry) => entry.isDirectory());
    return found.map((entry) => entry.name);
  } catch {
    // The folder does not exist, which is the usual case.
    return [];
  }
}

function isGround({ grounds }: Walk, path: string): boolean {
  return grounds.some((ground) => isInside(path, ground));
}
