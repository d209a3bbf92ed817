import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import type { Place } from './place.js';
import type { Roots } from './roots.js';

export interface Where {
  readonly roots: Roots;
  readonly place: Place;
}

/** A file below the start of a search, opened and then found to be inside. */
export interface InsideFile {
  readonly forChild: string;
  readonly fd: number;
  close(): void;
}

const hasProc = process.platform === 'linux';
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const folderFlags = fileFlags | constants.O_DIRECTORY;

/**
 * Opens a file that ripgrep told of, or gives undefined if that is not (or no longer) a file inside. All of this room's
 * looks at results are synchronous: ripgrep has just read the same files, and a promise for each costs more than the look.
 */
export function openInside({ roots, place }: Where, path: Buffer): InsideFile | undefined {
  const full = below(place, path);
  const fd = tryTo(() => openSync(full, fileFlags));
  if (fd === undefined) return undefined;
  const isGood = tryTo(() => roots.contains(realOf(fd, full)) && fstatSync(fd).isFile());
  if (isGood !== true) {
    closeSync(fd);
    return undefined;
  }
  const forChild = hasProc ? `/proc/${process.pid}/fd/${fd}` : full.toString();
  return { fd, forChild, close: () => closeSync(fd) };
}

/** Which of these names are files of that folder, if the folder is inside. It is opened, then checked. */
export function filesInside(
  { roots, place }: Where,
  folder: Buffer,
  names: readonly Buffer[],
): readonly boolean[] {
  const full = below(place, folder);
  const fd = tryTo(() => openSync(full, folderFlags));
  if (fd === undefined) return names.map(() => false);
  try {
    if (tryTo(() => roots.contains(realOf(fd, full))) !== true) return names.map(() => false);
    const opened = hasProc ? Buffer.from(`/proc/self/fd/${fd}`) : full;
    return names.map(
      (name) => tryTo(() => lstatSync(Buffer.concat([opened, slash, name])))?.isFile() === true,
    );
  } finally {
    closeSync(fd);
  }
}

const slash = Buffer.from('/');

function below(place: Place, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(place.here), slash, path]);
}

function realOf(fd: number, path: Buffer): string {
  return hasProc ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path.toString());
}

/** What is gone, locked or not readable is answered by undefined: the caller then says nothing about it. */
function tryTo<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
