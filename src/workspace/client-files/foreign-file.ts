import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { shellWord } from '../../lib/shell-word.js';
import { syncDirectory } from '../../config/private-file.js';
import { ImportRefused } from './refused.js';

/** The content of a file that belongs to another program. */
export interface ForeignFile {
  /** The path with links resolved; this file is replaced, so links stay links. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly text: string;
  readonly sha256: string;
}

/** Generous, because some clients store history in these files. */
const LARGEST = 32 * 1024 * 1024;

/** Reads a file; undefined if it does not exist. Never blocks on a pipe and reads a limited amount. */
export function readForeign(path: string): ForeignFile | undefined {
  const real = realPathOf(path);
  if (real === undefined) return undefined;
  let descriptor: number;
  try {
    // Windows has no O_NONBLOCK; undefined counts as 0.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new ImportRefused(
      'import.unreadable',
      `${path} cannot be read: ${codeOf(error)}.`,
      `ls -l ${shellWord(path)}`,
    );
  }
  try {
    if (!fstatSync(descriptor).isFile())
      throw new ImportRefused(
        'import.unreadable',
        `${path} is not a regular file.`,
        `ls -l ${shellWord(path)}`,
      );
    return decoded(path, real, readAll(descriptor, path));
  } finally {
    closeSync(descriptor);
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR')
      throw new ImportRefused(
        'import.unreadable',
        `${path} cannot be read: ${codeOf(error)}.`,
        `ls -l ${shellWord(path)}`,
      );
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
    throw new ImportRefused('import.unreadable', `${path} is a broken link.`, `ls -l ${shellWord(path)}`);
  }
}

/** The path with links resolved, even for a file that does not exist yet. */
export function withoutLinks(path: string): string {
  const real = realPathOf(path);
  if (real !== undefined) return real;
  return dirname(path) === path ? path : join(withoutLinks(dirname(path)), basename(path));
}

function readAll(descriptor: number, path: string): Buffer {
  const { size } = fstatSync(descriptor);
  if (size > LARGEST) throw tooLarge(path);
  const bytes = Buffer.alloc(size + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count)
    count = readSync(descriptor, bytes, length, bytes.length - length, null);
  if (length > size)
    throw new ImportRefused('import.changed', `${path} changed while it was being read.`, 'tidegate import');
  return bytes.subarray(0, length);
}

function tooLarge(path: string): ImportRefused {
  const message = `${path} is larger than ${String(LARGEST / 1024 / 1024)} MiB, too large for a configuration file.`;
  return new ImportRefused('import.too_large', message, `ls -l ${shellWord(path)}`);
}

function decoded(path: string, real: string, bytes: Buffer): ForeignFile {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path: real, bytes, text, sha256: hashOf(bytes) };
  } catch {
    throw new ImportRefused('import.broken', `${path} is not UTF-8 text.`, 'save it as UTF-8');
  }
}

export function hashOf(bytes: Buffer | string): string {
  return sha256Of(bytes);
}

/** Throws if the file must not be changed. Call it before anything is written. */
export function assertReplaceable(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const self = process.geteuid?.();
  if (self !== undefined && stats.uid !== self)
    throw new ImportRefused(
      'import.foreign_file',
      `${path} belongs to another user.`,
      `ls -l ${shellWord(path)}`,
    );
  if ((stats.mode & 0o200) === 0)
    throw new ImportRefused('import.read_only', `${path} is read-only.`, `chmod u+w ${shellWord(path)}`);
  if (stats.nlink > 1)
    throw new ImportRefused(
      'import.unwritable',
      `${path} has hard links, which would keep the old content.`,
      `ls -l ${shellWord(path)}`,
    );
}

/** Replaces a file atomically and keeps its mode and owner. */
export function replaceForeign(path: string, bytes: Buffer | string, usualMode = 0o644): void {
  assertReplaceable(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  mkdirSync(dirname(path), { recursive: true });
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}.tidegate`);
  sweepDrafts(path);
  try {
    writeDraft(draft, bytes, stats, usualMode);
    if (stats === undefined) linkNew(draft, path);
    else renameSync(draft, path);
  } catch (error) {
    discard(draft);
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused(
      'import.unwritable',
      `${path} cannot be written: ${codeOf(error)}.`,
      `ls -ld ${shellWord(dirname(path))}`,
    );
  }
  syncDirectory(dirname(path));
}

// Only the lock holder replaces files, so any draft found here was left by a dead process.
function sweepDrafts(path: string): void {
  const own = `.${basename(path)}.`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(own) && name.endsWith('.tidegate')) discard(join(dirname(path), name));
}

function writeDraft(
  draft: string,
  bytes: Buffer | string,
  stats: Stats | undefined,
  usualMode: number,
): void {
  // The umask applies to a new file.
  const descriptor = openSync(draft, 'wx', stats === undefined ? usualMode : 0o600);
  try {
    writeFileSync(descriptor, bytes);
    if (stats !== undefined) keepRights(descriptor, stats);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function keepRights(descriptor: number, { uid, gid, mode }: Stats): void {
  try {
    if (fstatSync(descriptor).gid !== gid) fchownSync(descriptor, uid, gid);
  } catch {
    // Only group members can set the group; the mode still limits who can read the file.
  }
  fchmodSync(descriptor, mode & 0o7777);
}

/** Does not overwrite a file created in the meantime. */
function linkNew(draft: string, path: string): void {
  try {
    linkSync(draft, path);
    unlinkSync(draft);
  } catch (error) {
    // Some file systems have no hard links.
    if (codeOf(error) === 'EEXIST' || existsSync(path)) throw error;
    renameSync(draft, path);
  }
}

function discard(draft: string): void {
  try {
    unlinkSync(draft);
  } catch {
    // It was never created.
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
