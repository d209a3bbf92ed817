/**
 * For systems without /proc: resolve the real path first, then compare path and identity again after each
 * open. An attacker that swaps a folder twice at the right moments can still win; `defenceOf` says so.
 */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { changedSinceRead } from './failures.js';
import type { Opened } from './opened.js';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
// Windows defines only the first; the others are undefined there and add nothing.
const readingFlags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW;

export async function openPortable(path: string): Promise<Opened | undefined> {
  try {
    const real = await realPathOf(path);
    return openedAt(real, await lstat(real, { bigint: true }));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Follows all names but the last. */
async function realPathOf(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path ? realpath(path) : join(await realpath(parent), basename(path));
}

function openedAt(real: string, stats: BigIntStats): Opened {
  const where = async (): Promise<string> => {
    const now = await realPathOf(real);
    if (!isSame(await lstat(now, { bigint: true }), stats)) throw changedSinceRead(real);
    return now;
  };
  const opened = async (): Promise<FileHandle> => {
    const handle = await open(real, readingFlags);
    try {
      if (isSame(await handle.stat({ bigint: true }), stats) && (await where()) === real) return handle;
      throw changedSinceRead(real);
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
  return {
    stats,
    where,
    at: (name) => join(real, name),
    openForReading: opened,
    openFolder: opened,
    close: async () => {},
  };
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
