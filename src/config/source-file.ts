import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Finding } from './problem.js';

/** No configuration is larger. It also bounds how long a hostile file can keep the YAML reader busy. */
const LARGEST = 256 * 1024;

export interface Source {
  /** With links resolved: what is trusted, and what relative paths start from. */
  readonly file: string;
  readonly text: string;
  /** Of exactly the bytes that `text` was decoded from; absent when they were not all read. */
  readonly sha256?: string;
  readonly finding?: Finding;
}

/**
 * Reads a file once. Its hash and its text come from the same bytes, so nothing can change in between.
 * `given`: what stands for its content.
 */
export function readSource(path: string, given?: string | Buffer): Source {
  const file = realPath(resolve(path));
  try {
    return decode(file, given === undefined ? readBytes(file) : Buffer.from(given));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      file,
      text: '',
      finding: { code: 'config.unreadable', message: `The file cannot be read: ${reason}.` },
    };
  }
}

/** With links resolved, where that can be done. */
export function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    // Opening it will give the better reason.
    return file;
  }
}

function decode(file: string, bytes: Buffer): Source {
  if (bytes.length > LARGEST) {
    const message = `The file has more than ${LARGEST / 1024} KiB.`;
    return { file, text: '', finding: { code: 'config.too_large', message } };
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  try {
    return { file, sha256, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return {
      file,
      sha256,
      text: '',
      finding: { code: 'config.not_utf8', message: 'The file is not UTF-8 text.' },
    };
  }
}

function readBytes(file: string): Buffer {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer. (Windows has no such flag; undefined counts as 0.)
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file');
    const bytes = Buffer.alloc(LARGEST + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
