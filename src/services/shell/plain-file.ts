import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { pathForDisk } from './odd-path.js';

const maxPathBytes = 4096;

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

/** Throws also when the file is longer, or not UTF-8. */
export function readWholeText(path: string, limit: number): string {
  const bytes = readPlainFile(path, limit + 1);
  const text = bytes.toString('utf8');
  if (bytes.length > limit || !Buffer.from(text).equals(bytes))
    throw new Error(`${path} is not a short text`);
  return text;
}

/** The path in one of git's files that hold nothing else. Git leaves out line breaks at the end only. */
export function readPath(file: string, prefix = ''): string {
  const text = readWholeText(file, maxPathBytes);
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end -= 1;
  const path = text.slice(0, end);
  if (!path.startsWith(prefix) || /\p{Cc}/u.test(path)) throw new Error(`${file} holds no path`);
  return path.slice(prefix.length);
}

/** False also for what may be there, but can't be looked at: a folder on the way is closed. */
export function isAbsent(path: string): boolean {
  try {
    return lstatSync(pathForDisk(path), { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return (
      error instanceof Error && 'code' in error && ['ENAMETOOLONG', 'ELOOP'].includes(String(error.code))
    );
  }
}

/** Undefined also for what cannot be reached: a folder that is closed, a name that is too long. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(pathForDisk(path), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
