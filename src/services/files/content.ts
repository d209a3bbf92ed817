import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { isFolder, notAFile, notFound } from './failures.js';
import type { Opened } from './opened.js';

/** Refuses anything but a regular file before reading it. */
export function regularFile(target: Opened | undefined, given: string): Opened {
  if (target === undefined) throw notFound(given);
  const { stats } = target;
  if (stats.isFile()) return target;
  if (stats.isDirectory()) throw isFolder(given);
  throw notAFile(given, kindOf(stats));
}

function kindOf(stats: BigIntStats): string {
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'a device';
  return 'something else';
}

export async function withHandle<T>(file: Opened, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await file.openForReading();
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/** The whole content; undefined if it exceeds the limit, even when the reported size does not. */
export async function readWhole(
  handle: FileHandle,
  size: number,
  limit: number,
): Promise<Buffer | undefined> {
  if (size > limit) return undefined;
  let buffer = Buffer.allocUnsafeSlow(size + 1);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    filled += bytesRead;
    if (bytesRead === 0) return buffer.subarray(0, filled);
    if (filled > limit) return undefined;
    if (filled === buffer.length)
      buffer = Buffer.concat([buffer], Math.min(buffer.length * 2 + 4096, limit + 1));
  }
}
