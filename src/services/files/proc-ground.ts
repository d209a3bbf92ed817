/**
 * Linux: every step uses an open handle. `/proc/self/fd/N/name` replaces openat(2), which Node lacks, and
 * `/proc/self/fd/N` tells where the handle is now, or opens the same file again.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { codeOf } from '../../lib/error-code.js';
import type { Opened } from './opened.js';

// Missing from Node's constants; the same number on every architecture that Node supports.
const O_PATH = 0o10000000;
const { O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_DIRECTORY } = constants;

/** Opens without reading: a FIFO does not block, and a device is not triggered. */
export async function openByHandle(path: string): Promise<Opened | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, O_PATH | O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return openedBy(handle, await handle.stat({ bigint: true }));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function openedBy(handle: FileHandle, stats: Opened['stats']): Opened {
  const self = `/proc/self/fd/${handle.fd}`;
  return {
    stats,
    where: () => readlink(self),
    at: (name) => `${self}/${name}`,
    openForReading: () => open(self, O_RDONLY | O_NONBLOCK),
    openFolder: () => open(self, O_RDONLY | O_DIRECTORY),
    close: () => handle.close(),
  };
}
