import { readlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { fromSystem, notFound, outside, rootGone, tooManyLinks } from './failures.js';
import { isInside } from './names.js';
import type { Open, Opened } from './opened.js';
import type { Roots, Way } from './roots.js';

/** The end of a path, with every step opened and checked. The receiver must close it. */
export interface Place {
  /** The real path of the target, even if it does not exist. */
  readonly path: string;
  /** The folder of the target, or the last existing one on the path; and its real path. */
  readonly folder: Opened;
  readonly within: string;
  /** Names that do not exist yet, the target last; empty if the target exists. */
  readonly missing: readonly string[];
  /** Absent if it does not exist. */
  readonly target?: Opened;
  readonly close: () => Promise<void>;
}

export interface Ground {
  readonly open: Open;
  readonly roots: Roots;
}

// As many links as Linux follows, and a limit for links in a cycle.
const maxLinks = 40;
const maxSteps = 4_000;

/**
 * Goes from a root to the target, opening one name after the other. The system follows no link: each link is
 * read and followed only inside the roots, so that nothing outside is touched.
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

/** The end of a path, with no link or `..` left to follow. */
interface End {
  readonly folder: Opened;
  readonly missing: readonly string[];
  /** Name of the target if it exists; empty for a root. */
  readonly name?: string;
  readonly target?: Opened;
}

/** The path continues elsewhere: at a link or a `..`. */
interface Turn {
  readonly to: string;
  readonly from: Way;
  readonly rest: readonly string[];
  readonly isLink: boolean;
}

/** Undefined if something on the path is not a folder. */
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

/** Most paths contain no link, so one open reaches the folder, and its real path confirms it. */
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

/** The names so far are real folders, so the parent of the last is the one before it. */
function turnBack(root: string, before: readonly string[], rest: readonly string[]): Turn {
  const from = { root, names: before.slice(0, -1) };
  if (before.length > 0) return { to: '.', from, rest, isLink: false };
  // The path may lead through the parent of this root to another root.
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
    // It was a link when opened but no longer is: look again.
    if (codeOf(error) === 'EINVAL') return `./${name}`;
    throw error;
  } finally {
    await link.close();
    await folder.close();
  }
}

/** The final check: the system must report that the opened target is inside. */
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
