import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { codeOf } from '../../lib/error-code.js';
import { openButOwnSync, pathForChild, pathOfOpen, realPathOfOpen } from './descriptors.js';
import type { Place } from './place.js';
import type { Roots } from './roots.js';

export interface Where {
  readonly roots: Roots;
  readonly place: Place;
}

/** A file below the start of a search, opened and then checked to be inside. */
export interface InsideFile {
  readonly forChild: string;
  close(): void;
}

const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const folderFlags = fileFlags | constants.O_DIRECTORY;

/** ripgrep's paths are relative to its working directory; ours are longer and may exceed the system's limit. */
export const tooLong = 'too long';

/**
 * Opens a file that ripgrep reported; undefined if it is not, or no longer, a file inside. Synchronous,
 * because ripgrep has just read the same files and a promise for each costs more.
 */
export function openInside({ roots, place }: Where, path: Buffer): InsideFile | typeof tooLong | undefined {
  const full = pathOf(place, path);
  const fd = tryTo(() => openButOwnSync(full, fileFlags, roots.own));
  if (typeof fd !== 'number') return fd;
  const forChild = tryTo(() => {
    const real = realPathOfOpen(fd, full.toString());
    return roots.contains(real) && fstatSync(fd).isFile() ? { path: pathForChild(fd, real) } : undefined;
  });
  if (typeof forChild === 'object') return { forChild: forChild.path, close: () => closeSync(fd) };
  closeSync(fd);
  return forChild;
}

/** The result of checking paths that ripgrep reported. */
export interface Looked {
  /** Paths that exist now and are inside. */
  readonly inside: readonly Buffer[];
  /** Paths that cannot be checked, because they cannot be opened. */
  readonly tooLong: readonly Buffer[];
}

/** Checks paths below the start. Opens each folder, then checks it. */
export function lookInside(
  where: Where,
  paths: readonly Buffer[],
  isWanted: (stat: Stats) => boolean,
): Looked {
  const folders = new Map<string, Buffer[]>();
  for (const path of paths) {
    const folder = folderOf(path);
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [path]);
    else known.push(path);
  }
  const kept = new Set<Buffer>();
  const long: Buffer[] = [];
  for (const [folder, files] of folders) {
    const inside = inFolder(where, Buffer.from(folder, 'latin1'), (opened) =>
      files.filter((path) => {
        const name = path.subarray(folder.length);
        const stat = tryTo(() => lstatSync(Buffer.concat([opened, slash, name])));
        return typeof stat === 'object' && isWanted(stat);
      }),
    );
    if (inside === tooLong) long.push(...files);
    else for (const path of inside ?? []) kept.add(path);
  }
  return { inside: paths.filter((path) => kept.has(path)), tooLong: long };
}

/** The folder of a path as latin1, with its slash; empty for the start. */
export function folderOf(path: Buffer): string {
  return path.subarray(0, path.lastIndexOf('/') + 1).toString('latin1');
}

function inFolder<T>(
  { roots, place }: Where,
  folder: Buffer,
  look: (opened: Buffer) => T,
): T | typeof tooLong | undefined {
  const full = pathOf(place, folder);
  const fd = tryTo(() => openSync(full, folderFlags));
  if (typeof fd !== 'number') return fd;
  try {
    const isInside = tryTo(() => roots.contains(realPathOfOpen(fd, full.toString())));
    if (isInside !== true) return isInside === tooLong ? tooLong : undefined;
    return look(Buffer.from(pathOfOpen(fd, full.toString())));
  } finally {
    closeSync(fd);
  }
}

const slash = Buffer.from('/');

/** The path by which this process opens a file that ripgrep reported. */
export function pathOf(place: Place, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(place.here), slash, path]);
}

/** Undefined for what is gone, locked or unreadable: the caller then omits it. */
function tryTo<T>(look: () => T): T | typeof tooLong | undefined {
  try {
    return look();
  } catch (error) {
    return codeOf(error) === 'ENAMETOOLONG' ? tooLong : undefined;
  }
}
