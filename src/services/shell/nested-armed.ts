import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ArmedCause, causesIn, hasHooks, keyOfPointer } from './armed-trees.js';
import { createBreaks } from './breaks.js';
import { entriesIn } from './folder-names.js';
import { commonOf, gitFolderOf, isOwnWorktree } from './git-folders.js';
import type { ReadLinks } from './git-links.js';
import { findGitRuns, newConfigReading } from './git-runs.js';
import { isInside } from './inside.js';
import { isOddPath } from './odd-path.js';
import { lookAt } from './plain-file.js';

const maxLinkBytes = 128 * 1024 * 1024;
const maxHooks = 100;
/** Repositories that only an index link leads to. An index that leads to more counts as a cause. */
const maxLinked = 20_000;

export interface NestedArmed {
  readonly armed: readonly ArmedCause[];
  /** The `.git` files, see `keyOfPointer`. */
  readonly pointers: readonly string[];
  /** The indexes that link to other repositories. */
  readonly linking: readonly string[];
}

/**
 * Finds what may make git run something in the repositories below the roots, linked in an index or not. `hookFolders`:
 * see `relativeHookFolders`.
 */
export async function findNestedArmed(
  roots: readonly string[],
  trees: readonly string[],
  readLinks: ReadLinks,
  hookFolders: readonly string[],
): Promise<NestedArmed> {
  const takeBreak = createBreaks();
  const budget = { bytes: maxLinkBytes };
  const linksOf = (folder: string) => readLinks(folder, budget);
  const trusted = new Set(roots.map(commonOfTree));
  const armed: ArmedCause[] = [];
  const pointers: string[] = [];
  const linking: string[] = [];
  const all = new Set([...roots, ...trees]);
  const most = all.size + maxLinked;
  /** The scan skips packages, but git follows a link into them. Uses real paths, so that circular links end. */
  const follow = (tree: string, index: string, links: readonly string[]): void => {
    for (const link of links) {
      const linked = realTree(join(tree, link), roots);
      if (linked === undefined || all.has(linked)) continue;
      if (all.size >= most) return void armed.push({ tree, cause: index });
      all.add(linked);
    }
  };
  // Grows during the loop.
  for (const tree of all) {
    await takeBreak();
    // The causes in the roots are found elsewhere.
    const causes = roots.includes(tree) ? [] : [...causesIn(tree, linksOf), ...hooksIn(tree, hookFolders)];
    const isTrusted = causes.length > 0 && isTrustedWorktree(tree, trusted);
    armed.push(...causes.filter(({ cause }) => !(isTrusted && isShared(cause, trusted))).map(withMark));
    const pointer = keyOfPointer(tree);
    if (pointer !== undefined) pointers.push(pointer);
    const folder = gitFolderOf(tree);
    const links = folder === undefined ? [] : (linksOf(folder) ?? []);
    if (folder === undefined || links.length === 0) continue;
    linking.push(join(folder, 'index'));
    follow(tree, join(folder, 'index'), links);
  }
  return { armed, pointers, linking };
}

function hooksIn(tree: string, hookFolders: readonly string[]): readonly ArmedCause[] {
  if (lookAt(join(tree, '.git')) === undefined) return [];
  return hookFolders
    .map((folder) => join(tree, folder))
    .filter(hasHooks)
    .map((cause) => ({ tree, cause }));
}

/** Undefined if the path is missing or outside the roots, where nothing is touched. */
function realTree(path: string, roots: readonly string[]): string | undefined {
  try {
    const real = realpathSync(path);
    return roots.some((root) => isInside(real, root)) ? real : undefined;
  } catch {
    return undefined;
  }
}

function commonOfTree(tree: string): string | undefined {
  const folder = gitFolderOf(tree);
  return folder === undefined ? undefined : (commonOf(folder) ?? folder);
}

/**
 * A new worktree of the operator's repository uses the operator's configuration, unless that names a file in the
 * worktree.
 */
function isTrustedWorktree(tree: string, trusted: ReadonlySet<string | undefined>): boolean {
  const folder = gitFolderOf(tree);
  const common = folder === undefined ? undefined : commonOf(folder);
  if (folder === undefined || common === undefined) return false;
  if (!trusted.has(common) || !isOwnWorktree(folder, common)) return false;
  try {
    const configs = [join(common, 'config')];
    const runs = findGitRuns({ tree, configs, reading: newConfigReading() });
    const named = [...runs.included, ...runs.hookFolders, ...runs.commandFiles];
    return !named.some((path) => isInside(path, tree));
  } catch {
    // There is too much to read.
    return false;
  }
}

function isShared(cause: string, trusted: ReadonlySet<string | undefined>): boolean {
  return trusted.has(dirname(cause)) && ['config', 'hooks'].includes(basename(cause));
}

/** An earlier cause counts again after it changed. An index is exempt, because it changes in everyday work. */
function withMark(one: ArmedCause): ArmedCause {
  if (isOddPath(one.tree)) return { ...one, mark: markOfOdd(one.tree) };
  return basename(one.cause) === 'index' ? one : { ...one, mark: markOf(one.cause) };
}

const orders = ['config', 'config.worktree', 'commondir', 'hooks'];

function markOfOdd(tree: string): string {
  const paths = [
    join(tree, '.git'),
    ...orders.flatMap((name) => [join(tree, '.git', name), join(tree, name)]),
  ];
  // The times of the `.git` folder change in everyday work.
  const signs = paths.map(lookAt).map((found) => [found?.ino, found?.size, found?.isFile() && found.ctimeMs]);
  return signs.join(':');
}

function markOf(path: string): string {
  try {
    const found = lstatSync(path, { bigint: true });
    const own = [found.ino, found.mode];
    if (!found.isDirectory()) return [...own, found.size, found.mtimeNs, found.ctimeNs].join(':');
    const inner = entriesIn(path, maxHooks).map(({ name }) => `${name}:${markOf(join(path, name))}`);
    return [...own, ...inner.sort()].join('|');
  } catch {
    return 'closed';
  }
}
