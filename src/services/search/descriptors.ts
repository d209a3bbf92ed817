import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { OwnView } from '../../ports/own-paths.js';

/** Only Linux can name an open file. On other systems we depend on the path, which is open to races. */
const hasProc = process.platform === 'linux';
// Missing from Node's constants; the same number on every architecture that Node supports.
const O_PATH = 0o10000000;

/** Opens without reading, if the system supports it. */
export const lookFlags = hasProc ? O_PATH | constants.O_NOFOLLOW : undefined;

/**
 * Opens a file for reading; undefined if it is one of Tidegate's own. Checks before opening: opening and
 * closing the store would drop the locks that SQLite holds on it in this process.
 */
export function openButOwnSync(path: Buffer, flags: number, own: OwnView): number | undefined {
  if (lookFlags === undefined) {
    const isOwn = own.hides(path.toString()) || own.hidesFile(lstatSync(path, { bigint: true }));
    return isOwn ? undefined : openSync(path, flags);
  }
  const look = openSync(path, lookFlags);
  try {
    return isOwnOpen(look, own) ? undefined : openSync(pathOfOpen(look, ''), flags & ~constants.O_NOFOLLOW);
  } finally {
    closeSync(look);
  }
}

/** For a file opened with `lookFlags`. */
export function isOwnOpen(fd: number, own: OwnView): boolean {
  const stats = fstatSync(fd, { bigint: true });
  return own.hides(realPathOfOpen(fd, '')) || (stats.isFile() && own.hidesFile(stats));
}

/** A path to the open file itself, even if its old name now means another file; for this process. */
export function pathOfOpen(fd: number, path: string): string {
  return hasProc ? `/proc/self/fd/${fd}` : path;
}

/** The current real path of an open file. */
export function realPathOfOpen(fd: number, path: string): string {
  return hasProc ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path);
}

/** A path by which a child can open the same file while we hold it. */
export function pathForChild(fd: number, path: string): string {
  return hasProc && isOpenToChildren() ? `/proc/${process.pid}/fd/${fd}` : path;
}

/** The kernel shows the descriptors of a privileged program only to root, and marks them as root's. */
function isOpenToChildren(): boolean {
  return statSync('/proc/self/fd').uid === process.geteuid?.();
}
