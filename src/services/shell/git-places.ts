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

/** What git acts on, beyond the configuration and the hooks of the one repository of a root. */
export interface GitPlaces {
  /** To be kept as they are, whether they exist or not. A slash at the end as in the table. */
  readonly paths: readonly string[];
  /** Can only be watched: missing or linked `.git`, and an index that hides what it holds. */
  readonly watched: readonly string[];
  /** Do not exist, and nothing but an attack makes them. */
  readonly never: readonly string[];
  /** Links on the way to what git runs, with what each says. No mount can hold a link. */
  readonly links: ReadonlyMap<string, string>;
  /** What may make git run something in a work tree. */
  readonly armed: readonly ArmedCause[];
  /** There are more work trees than can be kept: no command may run. */
  readonly isOverfull: boolean;
}

export interface GitGround {
  /** Nothing outside of these folders is of interest: no command can write there. */
  readonly grounds: readonly string[];
  /** Folders that may have a `.git`. */
  readonly workTrees: readonly string[];
  readonly gitFolders: readonly string[];
  /** What the table says of `.git`, relative to it. */
  readonly names: readonly string[];
  /** Configuration that git reads in every repository. */
  readonly globalConfigs: readonly string[];
  readonly readLinks: ReadLinks;
  /** Where given, a work tree with any other cause is not looked into: what it names could be endless. */
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
  /** Work trees that are kept as a whole. */
  readonly whole: Set<string>;
  isOverfull: boolean;
}

/** Each costs some mounts, and each mount a millisecond. Of more, the folder that holds them is kept as a whole. */
const maxInFolder = 32;
const maxTrees = 64;
/** Beyond these, work trees are kept as a whole, which costs one mount each; and beyond those, no command runs. */
const maxWhole = 448;
const maxDepth = 6;
/** Entries of a folder, and folders below `modules`. */
const maxLooked = 1000;
/** Of indexes that changed since they were last read. */
const maxLinkBytes = 128 * 1024 * 1024;

/** Walks from repository to repository as git does: to submodules, worktrees, and what the index has links to. */
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

/** A root may be a folder of a larger work tree, whose configuration and hooks can lead back into the root. */
function visitAround(walk: Walk, tree: string): void {
  const above = dirname(tree);
  if (above === tree) return;
  const folder = lookAt(join(above, '.git')) === undefined ? undefined : gitFolderOf(above);
  if (folder === undefined) return visitAround(walk, above);
  keepRuns(walk, above, folder);
}

/** What the configuration of a repository makes git run or read, as far as commands could change it. */
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

/** A path, and what it leads to over however many links. */
function keepTarget(walk: Walk, path: string): void {
  const end = path.endsWith('/') ? '/' : '';
  const { links, real } = followLinks(path.slice(0, path.length - end.length));
  for (const one of [path, `${real}${end}`]) if (isGround(walk, one)) walk.paths.add(one);
  for (const [link, target] of links) if (isGround(walk, link)) walk.links.set(link, target);
}

/** `from`: the work tree whose index links to it. */
function visitTree(walk: Walk, tree: string, from?: ArmedCause): void {
  if (from !== undefined) noteLink(walk, { ...from, link: tree });
  if (walk.trees.has(tree) || !isGround(walk, tree)) return;
  if (!noteArmed(walk, tree)) return;
  if (walk.trees.size >= maxTrees) return keepWhole(walk, tree, from);
  walk.trees.add(tree);
  const pointer = join(tree, '.git');
  const found = lookAt(pointer);
  // A file that leads to the repository is kept; a link cannot be, nor can what is not there.
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
 * A repository that runs something and was there before is the operator's to enter. If an index newly leads git into it,
 * the index is the cause.
 */
function noteLink(walk: Walk, link: ArmedCause & { readonly link: string }): void {
  const { isKnown = () => true } = walk;
  if (!isGround(walk, link.link)) return;
  const causes = ownCauses(walk, link.link);
  if (causes.length > 0 && causes.every(isKnown)) walk.armed.push(link);
}

/** Nothing of it is looked at, so nothing of it is written. What is not checked out is watched, as any other. */
function keepWhole(walk: Walk, tree: string, from?: ArmedCause): void {
  if (walk.whole.has(tree)) return;
  if (walk.whole.size >= maxWhole) {
    walk.isOverfull = true;
    // Otherwise one command could keep all later ones from running.
    if (from !== undefined) walk.armed.push({ ...from, link: tree });
    return;
  }
  walk.whole.add(tree);
  const pointer = join(tree, '.git');
  if (lookAt(pointer) === undefined) walk.watched.add(pointer);
  else walk.paths.add(tree);
}

/** Nobody knows what it links to, so no command may link it to more. */
function keepIndex(walk: Walk, index: string): void {
  walk.watched.add(index);
  if (isGround(walk, index)) walk.paths.add(index);
}

/** False where the tree is not to be looked into. */
function noteArmed(walk: Walk, tree: string): boolean {
  const { isKnown = () => true } = walk;
  const causes = [...ownCauses(walk, tree)];
  // No further tree is looked into, so it may not lead to more.
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

/** The work tree of a repository, where its folder says which: that of a worktree, or the one around it. */
function treeOf(folder: string): string | undefined {
  if (basename(folder) === '.git') return dirname(folder);
  try {
    return dirname(resolve(folder, readPath(join(folder, 'gitdir'))));
  } catch {
    // Of a submodule: the index leads to its work tree.
    return undefined;
  }
}

/** `find` returns undefined where there is too much to look at. */
function visitAll(walk: Walk, path: string, find: (path: string) => readonly string[] | undefined): void {
  const found = find(path);
  if (found === undefined || found.length > maxInFolder) walk.paths.add(path);
  for (const folder of (found ?? []).slice(0, maxInFolder)) visitFolder(walk, folder);
}

/** A worktree has hooks, configuration and objects from the repository that it belongs to. */
function ofWorktree({ names }: Walk): readonly string[] {
  return names.filter((name) => !/^(?:hooks\/?|config|objects\/.*)$/.test(name));
}

/** Submodules may have slashes in their names. */
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

/** The folders in a folder, some more than are of interest at most. */
function namesIn(path: string): readonly string[] {
  try {
    const found = entriesIn(path, maxLooked).filter((entry) => entry.isDirectory());
    return found.map((entry) => entry.name);
  } catch {
    // There is none, which is the usual case.
    return [];
  }
}

function isGround({ grounds }: Walk, path: string): boolean {
  return grounds.some((ground) => isInside(path, ground));
}
