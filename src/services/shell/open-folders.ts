import { chmodSync, closeSync, constants, lstatSync, openSync, readlinkSync } from 'node:fs';

const ownerBits = 0o700;
/** Needs no permission, so it also works on a folder without any. */
const O_PATH = 0o10000000;

/** Restores the owner's permissions on folders where a command removed them, and returns those folders. */
export type ReopenFolders = () => readonly string[];

/**
 * A command can't rename or remove a mount point, but it runs as the owner and can remove all permissions. Then the
 * gateway could neither read protected files below it nor mount anything there.
 */
export function createReopenFolders(paths: Iterable<string>): ReopenFolders {
  // Parents first: the content of a closed folder can't be read.
  const sorted = [...paths].sort((one, other) => one.length - other.length);
  const open = sorted.map((path) => ({ path, mode: modeOf(path) })).filter(({ mode }) => isOpen(mode));
  return () =>
    open
      .filter(({ path, mode = ownerBits }) => !isOpen(modeOf(path)) && reopen(path, mode))
      .map(({ path }) => path);
}

function isOpen(mode: number | undefined): boolean {
  return mode !== undefined && (mode & ownerBits) === ownerBits;
}

/** Undefined if it is not a folder. */
function modeOf(path: string): number | undefined {
  try {
    const found = lstatSync(path);
    return found.isDirectory() ? found.mode : undefined;
  } catch {
    return undefined;
  }
}

function reopen(path: string, mode: number): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const held = `/proc/self/fd/${String(descriptor)}`;
    if (readlinkSync(held) !== path) return false;
    chmodSync(held, mode & 0o7777);
    return true;
  } catch {
    // The folder is gone or has another owner.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
