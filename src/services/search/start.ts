import { isAbsolute, join } from 'node:path';
import { isToolFailure } from '../../core/index.js';
import type { Glob } from './glob.js';
import { openPlace, type Place } from './place.js';
import type { Roots } from './roots.js';

/**
 * Opens the start of a search: the caller's path, or the folder in it that the glob names; undefined if it
 * does not exist.
 */
export async function openStart(roots: Roots, path = '.', glob?: Glob): Promise<Place | undefined> {
  const given = await openPlace(roots, path);
  if (glob === undefined || glob.folder === '' || given.kind === 'file') return given;
  given.close();
  const folder = isAbsolute(glob.folder) ? glob.folder : join(path, glob.folder);
  try {
    return await openPlace(roots, folder);
  } catch (error) {
    // A pattern may name folders that do not exist: nothing matches then. One that leads outside is refused.
    if (isToolFailure(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** How to show paths below the start to the caller. */
export function namesBelow(roots: Roots, place: Place): (path: string) => string {
  const start = roots.nameOf(place.real);
  if (place.kind === 'file') return () => start;
  const before = start === '.' ? '' : `${start === '/' ? '' : start}/`;
  return (path) => (path === '' ? start : before + path);
}

/** Whether `./` is at this position: ripgrep starts every path below its working directory with it. */
export function isHere(bytes: Buffer, at: number): boolean {
  return bytes[at] === 46 && bytes[at + 1] === 47;
}

export function withoutHere(path: Buffer): Buffer {
  return isHere(path, 0) ? path.subarray(2) : path;
}
