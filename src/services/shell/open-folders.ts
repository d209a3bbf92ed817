import { chmodSync, closeSync, constants, lstatSync, openSync, readlinkSync } from 'node:fs';

const ownerBits = 0o700;
/** Opens nothing: a folder without any right can be held, too. */
const O_PATH = 0o10000000;

/** Opens folders again that a command closed to their owner, and returns those. */
export type ReopenFolders = () => readonly string[];

/**
 * A mount point can't be renamed or removed, but its owner, which is also the user of the command, can take all rights from
 * it. Then the gateway could neither read what is protected below it nor mount anything there.
 */
export function createReopenFolders(paths: Iterable<string>): ReopenFolders {
  // Parents first: what is in a closed folder can't be looked at.
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

/** Undefined for what is no folder. */
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
    // It is gone, or not ours.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
