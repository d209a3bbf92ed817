import { readlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { fromSystem, notFound, outside, rootGone, tooManyLinks } from './failures.js';
import { isInside } from './names.js';
import type { Open, Opened } from './opened.js';
import type { Roots, Way } from './roots.js';

/** Where a path led, with everything on it opened and checked. Whoever gets it closes it. */
export interface Place {
  /** The real path of the target, whether it exists or not. */
  readonly path: string;
  /** The folder that holds the target, or the last one on the way that exists; and its real path. */
  readonly folder: Opened;
  readonly within: string;
  /** Names that do not exist yet, the last one being the target; empty when the target exists. */
  readonly missing: readonly string[];
  /** Left out when it does not exist. */
  readonly target?: Opened;
  readonly close: () => Promise<void>;
}

export interface Ground {
  readonly open: Open;
  readonly roots: Roots;
}

// As many links as Linux follows, and a bound for links that lead back and forth.
const maxLinks = 40;
const maxSteps = 4_000;

/**
 * Goes from a root to the target, one opened name after the other. No link is followed by the system: each is read,
 * and leads on only inside the roots, so that nothing outside is even touched.
 */
export async function walk(given: string, ground: Ground): Promise<Place> {
  try {
    return await followLinks(given, ground);
  } catch (error) {
    throw fromSystem(error, given);
  }
}

async function followLinks(given: string, { open, roots }: Ground): Promise<Place> {
  let way = await roots.wayTo(given);
  let links = 0;
  for (let steps = 0; links <= maxLinks && steps <= maxSteps; steps += way.names.length + 1) {
    const end = await goUntilTurn(way, open);
    if (end === undefined) throw notFound(given);
    if (!('to' in end)) return await placeOf(end, given, roots);
    if (end.isLink) links += 1;
    const turned = await roots.wayOfLink(end.to, end.from);
    if (turned === undefined) throw outside(given, roots.all);
    way = { root: turned.root, names: [...turned.names, ...end.rest] };
  }
  throw tooManyLinks(given);
}

/** What was opened at the end of a way on which nothing turned off. */
interface End {
  readonly folder: Opened;
  readonly missing: readonly string[];
  /** Of the target, when it exists; empty for a root. */
  readonly name?: string;
  readonly target?: Opened;
}

/** The way goes on elsewhere: at a link, or at a `..` that came out of one. */
interface Turn {
  readonly to: string;
  readonly from: Way;
  readonly rest: readonly string[];
  readonly isLink: boolean;
}

/** Undefined when something on the way is not a folder. */
async function goUntilTurn({ root, names }: Way, open: Open): Promise<End | Turn | undefined> {
  let { folder, index } = await start({ root, names }, open);
  for (; index < names.length; index += 1) {
    const name = names[index] ?? '';
    const before = names.slice(0, index);
    const rest = names.slice(index + 1);
    if (name === '..') {
      await folder.close();
      return turnBack(root, before, rest);
    }
    const next = await openOrClose(folder, name, open);
    if (next === undefined) return await endMissing(folder, [name, ...rest]);
    if (next.stats.isSymbolicLink()) {
      const to = await linkOf(folder, name, next);
      return { to, from: { root, names: before }, rest, isLink: true };
    }
    if (rest.length === 0) return { folder, missing: [], name, target: next };
    await folder.close();
    if (!next.stats.isDirectory()) return await next.close().then(() => undefined);
    folder = next;
  }
  return { folder, missing: [], name: '', target: folder };
}

/** Most paths have no link in them: then one opening leads to the folder, and its real path says so. */
async function start({ root, names }: Way, open: Open): Promise<{ folder: Opened; index: number }> {
  if (names.length > 2 && !names.includes('..')) {
    const path = join(root, ...names.slice(0, -1));
    const folder = await openExactly(path, open).catch(() => undefined);
    if (folder !== undefined) return { folder, index: names.length - 1 };
  }
  const folder = await openExactly(root, open);
  if (folder === undefined) throw rootGone(root);
  return { folder, index: 0 };
}

async function openExactly(path: string, open: Open): Promise<Opened | undefined> {
  const folder = await open(path);
  if (folder === undefined) return undefined;
  if (folder.stats.isDirectory() && (await folder.where().catch(() => '')) === path) return folder;
  await folder.close();
  return undefined;
}

async function openOrClose(folder: Opened, name: string, open: Open): Promise<Opened | undefined> {
  try {
    return await open(folder.at(name));
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** The names walked so far are real folders, so the parent of the last is the one before it. */
function turnBack(root: string, before: readonly string[], rest: readonly string[]): Turn {
  const from = { root, names: before.slice(0, -1) };
  if (before.length > 0) return { to: '.', from, rest, isLink: false };
  // Above the root there may still be the way to another one.
  return { to: [dirname(root), ...rest].join(sep), from, rest: [], isLink: false };
}

async function endMissing(folder: Opened, missing: readonly string[]): Promise<End | undefined> {
  if (!missing.includes('..')) return { folder, missing };
  await folder.close();
  return undefined;
}

async function linkOf(folder: Opened, name: string, link: Opened): Promise<string> {
  try {
    return await readlink(folder.at(name));
  } catch (error) {
    // It was a link when it was opened and is something else now: look again.
    if (codeOf(error) === 'EINVAL') return `./${name}`;
    throw error;
  } finally {
    await link.close();
    await folder.close();
  }
}

/** The last word: what was opened has to be inside, by the system's own account of where it is. */
async function placeOf(end: End, given: string, roots: Roots): Promise<Place> {
  const { folder, missing, name, target } = end;
  const close = async (): Promise<void> => {
    if (target !== folder) await target?.close();
    await folder.close();
  };
  try {
    const within = await folder.where();
    const isIn = (path: string): boolean => roots.all.some((root) => isInside(path, root));
    if (!isIn(within) || (target && !isIn(await target.where()))) throw outside(given, roots.all);
    const path = name === '' ? within : join(within, ...(name === undefined ? missing : [name]));
    return { path, folder, within, missing, ...(target && { target }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
