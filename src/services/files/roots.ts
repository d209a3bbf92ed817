import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, parse, resolve, sep } from 'node:path';
import { badPath, outside } from './failures.js';
import { isInside, isWellFormed } from './names.js';

/** A root, and the names from it to the requested place. May contain `..`. */
export interface Way {
  readonly root: string;
  readonly names: readonly string[];
}

export interface Roots {
  /** Real paths. Relative paths start at the first. */
  readonly all: readonly string[];
  /** The way to a caller's path. Throws the same error for every path outside, whether it exists or not. */
  wayTo(given: string): Promise<Way>;
  /** The way to a link's target; undefined if it is outside. */
  wayOfLink(target: string, folder: Way): Promise<Way | undefined>;
}

const maxLength = 4096;

/** Throws if a root does not exist, because paths can only be compared with its real path. */
export function createRoots(roots: readonly string[]): Roots {
  const spellings = roots.map((given) => ({ given: resolve(given), real: realpathSync.native(given) }));
  const all = spellings.map(({ real }) => real);
  const [first] = all;
  if (first === undefined) throw new Error('a workspace needs at least one root');

  const find = async (path: string): Promise<Way | undefined> => {
    // The innermost root first, so that it wins over a root around it.
    const byLength = spellings.toSorted((one, other) => other.given.length - one.given.length);
    for (const { given, real } of byLength) {
      for (const spelling of [real, given]) {
        if (isInside(path, spelling)) return { root: real, names: namesOf(path.slice(spelling.length)) };
      }
    }
    // Outside the roots, `..` is resolved textually, so that it does not reveal what exists there.
    return path === resolve(path) ? findByOtherName(path, all) : find(resolve(path));
  };

  return {
    all,
    async wayTo(given) {
      refuseUnusable(given);
      const way = await find(resolve(first, given));
      if (way === undefined) throw outside(given, all);
      return way;
    },
    async wayOfLink(target, { root, names }) {
      // Follows a link name by name, as the system does: `a/..` is not a no-op if `a` is a link.
      if (!isAbsolute(target)) return { root, names: [...names, ...namesOf(target)] };
      return await find(target);
    },
  };
}

function refuseUnusable(given: string): void {
  if (given === '') throw badPath(given, 'it is empty');
  if (given.includes('\0')) throw badPath(given, 'it contains a NUL character');
  if (given.length > maxLength) throw badPath(given, `it is longer than ${maxLength} characters`);
  if (!isWellFormed(given)) throw badPath(given, 'it contains half of a surrogate pair');
}

function namesOf(path: string): readonly string[] {
  const separator = sep === '/' ? '/' : /[\\/]/;
  return path.split(separator).filter((name) => name !== '' && name !== '.');
}

/**
 * A caller may know a root by another name, for example through a linked home folder. This only translates
 * names: the path below the root is walked and checked as usual.
 */
async function findByOtherName(path: string, roots: readonly string[]): Promise<Way | undefined> {
  const { root: top } = parse(path);
  const names = namesOf(path.slice(top.length));
  let known = top;
  for (const [index, name] of names.entries()) {
    known = known.endsWith(sep) ? known + name : known + sep + name;
    const real = await realpath(known).catch(() => undefined);
    if (real === undefined) return undefined;
    const root = roots.find((one) => isInside(real, one));
    if (root !== undefined) {
      return { root, names: [...namesOf(real.slice(root.length)), ...names.slice(index + 1)] };
    }
  }
  return undefined;
}
