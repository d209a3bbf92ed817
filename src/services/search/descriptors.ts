import { readlinkSync, realpathSync, statSync } from 'node:fs';

/** Only Linux can name an open file. Elsewhere its path is all there is, and a race can deceive us. */
const hasProc = process.platform === 'linux';

/** A path to the very thing that is open, whatever takes its old name; for this process. */
export function pathOfOpen(fd: number, path: string): string {
  return hasProc ? `/proc/self/fd/${fd}` : path;
}

/** Where the thing that is open is now. */
export function realPathOfOpen(fd: number, path: string): string {
  return hasProc ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path);
}

/** A path by which a child can open the very same thing, while we hold it. */
export function pathForChild(fd: number, path: string): string {
  return hasProc && isOpenToChildren() ? `/proc/${process.pid}/fd/${fd}` : path;
}

/** The kernel shows the descriptors of a program with special rights to root only, and marks them as root's. */
function isOpenToChildren(): boolean {
  return statSync('/proc/self/fd').uid === process.geteuid?.();
}
