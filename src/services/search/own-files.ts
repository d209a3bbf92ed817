import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { HiddenName } from '../../ports/own-paths.js';
import { pathOf, type Where } from './inside.js';

/** Globs for ripgrep, relative to the start, of paths that it must not even walk. */
export function ownGlobs({ roots, place }: Where): readonly string[] {
  if (place.kind === 'file') return [];
  return roots.own.hiddenBelow(place.real).flatMap(globsOf);
}

/** The endings of a private file's companions. Keep in step with `companionEnding`. */
const companions = '{-wal,-shm,-journal,-reserve,~,[.-]bak*,[.-]backup*,[.-]old*,[.-]corrupt*,[.-][0-9]*}';

function globsOf({ path, hasCompanions }: HiddenName): readonly string[] {
  const glob = `/${escaped(path)}`;
  return hasCompanions ? [glob, glob + companions] : [glob];
}

/**
 * A set of one character matches it literally. Not every dialect allows a backslash in a set, so `?` replaces
 * it.
 */
function escaped(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, (character) => (character === '\\' ? '?' : `[${character}]`));
}

/** Whether a result is one of Tidegate's own files under another spelling or a hard link. */
export function isOwn(where: Where, path: Buffer): boolean {
  const { own } = where.roots;
  if (own.hides(join(where.place.real, path.toString()))) return true;
  return own.hasSecondNames && isSecondName(where, path);
}

function isSecondName(where: Where, path: Buffer): boolean {
  try {
    return where.roots.own.hidesFile(lstatSync(pathOf(where.place, path), { bigint: true }));
  } catch {
    // Already gone, so it reveals nothing.
    return false;
  }
}
