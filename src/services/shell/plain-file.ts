import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { pathForDisk } from './odd-path.js';

const maxPathBytes = 4096;

/** Reads plain files only, so that nothing in a workspace can block the gateway. Throws for anything else. */
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

/** Throws also if the file is longer or not UTF-8. */
export function readWholeText(path: string, limit: number): string {
  const bytes = readPlainFile(path, limit + 1);
  const text = bytes.toString('utf8');
  if (bytes.length > limit || !Buffer.from(text).equals(bytes))
    throw new Error(`${path} is not a short text`);
  return text;
}

/** The path in a git file that holds nothing else. Like git, strips only line breaks at the end. */
export function readPath(file: string, prefix = ''): string {
  const text = readWholeText(file, maxPathBytes);
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end -= 1;
  const path = text.slice(0, end);
  if (!path.startsWith(prefix) || /\p{Cc}/u.test(path)) throw new Error(`${file} contains no path`);
  return path.slice(prefix.length);
}

/** False also if the path may exist but can't be read, because a folder above it is closed. */
export function isAbsent(path: string): boolean {
  try {
    return lstatSync(pathForDisk(path), { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return (
      error instanceof Error && 'code' in error && ['ENAMETOOLONG', 'ELOOP'].includes(String(error.code))
    );
  }
}

/** Undefined also if the path can't be reached: a closed folder, or a name that is too long. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(pathForDisk(path), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
