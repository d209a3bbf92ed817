import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256Of } from '../lib/sha256.js';
import { messageOf } from '../lib/error-message.js';
import type { Finding } from './problem.js';

/** The size limit. It also bounds the parsing time of a hostile file. */
const LARGEST = 256 * 1024;

export interface Source {
  /** With links resolved. Trust and relative paths are based on this path. */
  readonly file: string;
  readonly text: string;
  /** Hash of exactly the bytes of `text`; absent if they were not all read. */
  readonly sha256?: string;
  readonly finding?: Finding;
}

/**
 * Reads a file once. Its hash and its text come from the same bytes, so the file cannot change in between.
 * `given` replaces its content. `isReal`: use the path as it is, even if it is a link now.
 */
export function readSource(path: string, given?: string | Buffer, isReal = false): Source {
  const file = isReal ? path : realPath(resolve(path));
  try {
    return decode(file, given === undefined ? readBytes(file) : Buffer.from(given));
  } catch (error) {
    const reason = messageOf(error);
    return {
      file,
      text: '',
      finding: { code: 'config.unreadable', message: `The file cannot be read: ${reason}.` },
    };
  }
}

/** Resolves links if possible. */
export function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    // Opening the file gives a better error.
    return file;
  }
}

/** Resolves links in the parent folders, but not the file or link itself. */
export function ownName(path: string): string {
  return join(realPath(dirname(resolve(path))), basename(path));
}

function decode(file: string, bytes: Buffer): Source {
  if (bytes.length > LARGEST) {
    const message = `The file is larger than ${LARGEST / 1024} KiB.`;
    return { file, text: '', finding: { code: 'config.too_large', message } };
  }
  const sha256 = sha256Of(bytes);
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
  // Without O_NONBLOCK, opening a named pipe waits for a writer. Windows lacks the flag; undefined counts as 0.
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
