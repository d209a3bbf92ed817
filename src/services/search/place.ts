import { close, closeSync, constants, fstatSync, lstatSync, open } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../../lib/error-code.js';
import type { OwnView } from '../../ports/own-paths.js';
import { isOwnOpen, lookFlags, pathForChild, pathOfOpen, realPathOfOpen } from './descriptors.js';
import { noSuchPlace, notReadable, outside, wrongKind } from './failures.js';
import type { Roots } from './roots.js';

/** Where a search starts: a folder or file that was opened first and checked to be inside afterwards. */
export interface Place {
  readonly kind: 'folder' | 'file';
  /** Its real path when opened. */
  readonly real: string;
  /** A path to the opened file itself, even if its old name now means another file; for this process. */
  readonly here: string;
  /** The same, for a child process while it runs. */
  readonly forChild: string;
  /** The working directory for a child. */
  readonly cwd: string;
  close(): void;
}

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens the caller's path and trusts only what was opened. */
export async function openPlace(roots: Roots, path: string): Promise<Place> {
  const located = await roots.locate(path);
  const fd = await openFd(located, path, roots.own);
  try {
    return checkedPlace({ roots, fd, path, located });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

const openLate = promisify<string, number, number>(open);

/** Asynchronous, unlike the rest, because a dead network drive would block all callers. */
async function openFd(located: string, path: string, own: OwnView): Promise<number> {
  try {
    const fd = await openButOwn(located, own);
    if (fd !== undefined) return fd;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EACCES' || code === 'EPERM') throw notReadable(path);
    // A socket, or a device without a driver.
    if (code === 'ENXIO') throw wrongKind(path, 'a regular file or folder');
  }
  throw noSuchPlace(path);
}

/** See `openButOwnSync`. */
async function openButOwn(located: string, own: OwnView): Promise<number | undefined> {
  if (lookFlags === undefined) {
    if (own.hidesFile(lstatSync(located, { bigint: true }))) return undefined;
    return openLate(located, flags);
  }
  const look = await openLate(located, lookFlags);
  try {
    if (isOwnOpen(look, own)) return undefined;
    return await openLate(pathOfOpen(look, located), flags & ~constants.O_NOFOLLOW);
  } finally {
    closeSync(look);
  }
}

interface Opened {
  readonly roots: Roots;
  readonly fd: number;
  readonly path: string;
  readonly located: string;
}

function checkedPlace({ roots, fd, path, located }: Opened): Place {
  const real = realPathOfOpen(fd, located);
  if (!roots.contains(real)) throw outside(path, roots.first);
  const stat = fstatSync(fd);
  if (!stat.isDirectory() && !stat.isFile()) throw wrongKind(path, 'a regular file or folder');
  const kind = stat.isDirectory() ? 'folder' : 'file';
  const here = pathOfOpen(fd, located);
  return {
    kind,
    real,
    here,
    forChild: pathForChild(fd, located),
    // The child resolves it before exec, while it still holds our descriptors.
    cwd: kind === 'folder' ? here : dirname(located),
    close: () => close(fd),
  };
}
