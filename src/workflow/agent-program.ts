import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { Step } from './grammar/workflow.js';

/** The program a step starts as its agent, as written in the file. */
export function programOf(step: Step): string | undefined {
  const options: unknown = step.kind === 'agent' ? step.own.options : undefined;
  const named =
    typeof options === 'object' && options !== null && 'program' in options ? options.program : undefined;
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** Whether agents can write the file: it, or the target of a link, is in one of their folders. */
export function isInside(file: string, roots: readonly string[]): boolean {
  const paths = [file, realPath(file)];
  return roots
    .flatMap((root) => [root, realPath(root)])
    .some((root) => paths.some((path) => isBelow(relative(root, path))));
}

/** Where a link in one of these folders leads, if that is outside all of them. */
export function targetOutside(file: string, roots: readonly string[]): string | undefined {
  const real = realPath(file);
  return real !== file && isInside(file, roots) && !isInside(real, roots) ? real : undefined;
}

function isBelow(way: string): boolean {
  return way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The file does not exist: use the path as written.
    return path;
  }
}

const pieceBytes = 1024 * 1024;

/** SHA-256 of a file of any size. Throws unless it is a regular file. */
export function digestOf(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file');
    const hash = createHash('sha256');
    const piece = Buffer.alloc(pieceBytes);
    for (let count = -1; count !== 0; ) {
      count = readSync(descriptor, piece, 0, piece.length, null);
      hash.update(piece.subarray(0, count));
    }
    return hash.digest();
  } finally {
    closeSync(descriptor);
  }
}
