import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { OwnView } from '../../ports/own-paths.js';
import { noSuchPlace, notReadable, outside } from './failures.js';

/** The workspace folders without Tidegate's own files, and checks whether a path is in them. */
export interface Roots extends BareRoots {
  readonly own: OwnView;
}

export interface BareRoots {
  readonly real: readonly string[];
  readonly first: string;
  /** Whether a real path is a root or inside one. */
  contains(real: string): boolean;
  /** The real path of the caller's path, which is inside; otherwise throws a `ToolFailure`. */
  locate(path: string): Promise<string>;
  /** How to show a real path to the caller: relative to the first root, or absolute. */
  nameOf(real: string): string;
}

const maxLinks = 40;

/** Takes the roots as configured, because a caller may use the link that leads to a root. */
export async function readRoots(given: readonly string[]): Promise<BareRoots> {
  const real = await Promise.all(given.map((root) => realpath(root)));
  const spelled = given.map((root) => resolve(root));
  const [first] = real;
  if (first === undefined) throw new Error('A search needs at least one workspace root.');
  const contains = (path: string) => real.some((root) => isWithin(root, path));
  return {
    real,
    first,
    contains,
    nameOf: (path) => nameBelow(first, path),
    locate: async (path) => {
      const wanted = resolve(first, path);
      // Without reading the disk, so that a path outside reveals nothing about what exists there.
      if (!contains(wanted) && !spelled.some((root) => isWithin(root, wanted))) throw outside(path, first);
      // The opened file is checked again anyway, and most searches start here.
      if (wanted === first) return first;
      if (path.includes('\0')) throw noSuchPlace(path);
      const found = await follow(wanted);
      if (!contains(found.path)) throw outside(path, first);
      if (found.problem === 'EACCES' || found.problem === 'EPERM') throw notReadable(path);
      if (found.problem !== undefined) throw noSuchPlace(path);
      return found.path;
    },
  };
}

/** Hidden paths are in no root, so they look like paths that do not exist. */
export function withoutOwn(roots: BareRoots, own: OwnView): Roots {
  return {
    ...roots,
    own,
    contains: (real) => roots.contains(real) && !own.hides(real),
    async locate(path) {
      const real = await roots.locate(path);
      if (own.hides(real)) throw noSuchPlace(path);
      return real;
    },
  };
}

function isWithin(root: string, path: string): boolean {
  // With the separator: `/work-other` is not inside `/work`.
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function nameBelow(first: string, path: string): string {
  if (!isWithin(first, path)) return path.split(sep).join('/');
  return relative(first, path).split(sep).join('/') || '.';
}

interface Followed {
  readonly path: string;
  /** Why the path has no real path; `path` is then the target of its last link. */
  readonly problem?: string;
}

/** The real path, or that of the deepest existing folder, so that a missing file behind a link is outside too. */
async function follow(path: string, links = 0): Promise<Followed> {
  try {
    return { path: await realpath(path) };
  } catch (error) {
    const problem = codeOf(error);
    if (dirname(path) === path || links > maxLinks) return { path: dirname(path), problem };
    const folder = await follow(dirname(path), links);
    const inFolder = join(folder.path, basename(path));
    const target = folder.problem === undefined ? await readlink(inFolder).catch(() => undefined) : undefined;
    if (target === undefined) return { path: folder.path, problem: folder.problem ?? problem };
    const led = await follow(isAbsolute(target) ? target : resolve(folder.path, target), links + 1);
    return { path: led.path, problem: led.problem ?? problem };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
