import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';

const maxBytes = 4096;

/** Nothing of a workspace makes the gate wait: whatever is no plain file is not read. Throws when there is none. */
export function readPlainFile(path: string, limit: number): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error(`${path} is not a file`);
    const bytes = Buffer.alloc(Math.min(found.size, limit));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** The first line, for git's files that hold a path and nothing else. */
export function firstLine(path: string): string {
  return readPlainFile(path, maxBytes).toString('utf8').split('\n')[0] ?? '';
}

/** Undefined also for what cannot be reached: a folder that is closed, a name that is too long. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
