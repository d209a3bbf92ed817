import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { StoreError } from '../../access/ports/index.js';

/** Identifies a file, whatever its path is later. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** Create the missing folder (0700) and file (0600), and refuse what other users could have changed. */
export function preparePlace(file: string): FileIdentity {
  const folder = dirname(file);
  makeFolder(folder);
  requireSafeFolder(folder);
  const known = lstatSync(file, { throwIfNoEntry: false });
  requireNoOrphanedLog(file, known);
  if (known !== undefined) return requireSafeFile(file, known);
  try {
    // Open the file only to create it: closing it drops the locks that SQLite holds in this process.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return requireSafeFile(file, lstatSync(file));
}

/** The identity of a store that is only read. Creates nothing. */
export function identifyPlace(file: string): FileIdentity {
  const known = lstatSync(file, { throwIfNoEntry: false });
  requireNoOrphanedLog(file, known);
  return requireSafeFile(file, known ?? lstatSync(file));
}

// SQLite deletes the log beside a missing or empty database, and with it all writes that are only in the log.
function requireNoOrphanedLog(file: string, known: Stats | undefined): void {
  if (known !== undefined && (!known.isFile() || known.size > 0)) return;
  const log = lstatSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size === 0) return;
  const what = known === undefined ? 'missing' : 'empty';
  throw new StoreError(
    'store.lost',
    `The store ${file} is ${what}, but its log ${file}-wal still has data. Put the file back. To start over instead, delete ${file}-wal and ${file}-shm.`,
  );
}

/** False if the path leads to another file or none: then other processes read and write a different store. */
export function isStillThere(file: string, { dev, ino }: FileIdentity): boolean {
  const now = lstatSync(file, { throwIfNoEntry: false });
  return now?.ino === ino && now.dev === dev;
}

/** Watch SQLite's own files beside the store. They exist while any process has the store open. */
export function createCompanionWatch(file: string): () => boolean {
  const known = new Map<string, FileIdentity>();
  return () =>
    ['-wal', '-shm'].every((ending) => {
      const now = lstatSync(file + ending, { throwIfNoEntry: false });
      const before = known.get(ending);
      if (now !== undefined && before === undefined) known.set(ending, { dev: now.dev, ino: now.ino });
      return before === undefined || (now?.ino === before.ino && now.dev === before.dev);
    });
}

export function requireStillThere(file: string, identity: FileIdentity): void {
  if (!isStillThere(file, identity)) throw replacedError(file);
}

export function replacedError(file: string): StoreError {
  const message = `The store ${file} was moved, removed or replaced while it was open. Put it back, or restart.`;
  return new StoreError('store.unavailable', message);
}

// Level by level: Node's `recursive` hangs on a file system that takes no directories, such as /proc.
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process created it first.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

// A user who can change the folder can replace our file or its log.
function requireSafeFolder(folder: string): void {
  const stats = statSync(folder);
  if (isForeign(stats)) throw unsafe(`The store folder ${folder} belongs to another user.`);
  if (canOthersWrite(stats))
    throw unsafe(`Other users can write to the store folder ${folder}. Run: chmod go-w ${folder}`);
}

function requireSafeFile(file: string, stats: Stats): FileIdentity {
  if (!stats.isFile()) throw unsafe(`The store ${file} is not a regular file.`);
  if (isForeign(stats)) throw unsafe(`The store ${file} belongs to another user.`);
  if (canOthersWrite(stats)) throw unsafe(`Other users can write to the store ${file}.`);
  if (process.getuid !== undefined && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
  return { dev: stats.dev, ino: stats.ino };
}

function isForeign({ uid }: Stats): boolean {
  const self = process.getuid?.();
  return self !== undefined && uid !== self && uid !== 0;
}

function canOthersWrite({ mode }: Stats): boolean {
  return process.getuid !== undefined && (mode & 0o022) !== 0;
}

function unsafe(message: string): StoreError {
  return new StoreError('store.unavailable', message);
}
