import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../lib/error-code.js';

export type PrivateContent =
  | { readonly state: 'absent' }
  | { readonly state: 'sound'; readonly text: string }
  | { readonly state: 'unsafe' | 'corrupt'; readonly reason: string };

interface Bounds {
  readonly largest: number;
  /** Mode bits that make the file unsafe: write access for others, or read access too. */
  readonly forbidden: number;
}

/** Reads a file of the state directory, unless its owner or mode bits make it unsafe. */
export function readPrivateFile(path: string, { largest, forbidden }: Bounds): PrivateContent {
  // Windows lacks the last two flags; undefined counts as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return { state: 'absent' };
    return code === 'ELOOP'
      ? { state: 'unsafe', reason: 'it is a symbolic link' }
      : { state: 'corrupt', reason: String(error) };
  }
  try {
    const stats = fstatSync(descriptor);
    const reason = suspicionOf(stats, forbidden);
    if (reason !== undefined) return { state: 'unsafe', reason };
    if (stats.size > largest) return { state: 'corrupt', reason: 'it is too large' };
    return { state: 'sound', text: readFileSync(descriptor, 'utf8') };
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the file atomically: readers see the old or the new one, even after a power failure. */
export function replacePrivateFile(path: string, text: string, mayCommit: () => boolean): void {
  sweepDrafts(path);
  const draft = `${path}.${randomUUID()}.draft`;
  writePrivateFile(draft, text);
  if (!mayCommit()) {
    unlinkSync(draft);
    throw new Error('another process changed it at the same time');
  }
  renameSync(draft, path);
  syncDirectory(dirname(path));
}

/** Creates a file that only this user can access, and syncs it to disk. */
export function writePrivateFile(path: string, content: string | Buffer): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function suspicionOf(stats: Stats, forbidden: number): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  const self = process.geteuid?.();
  if (self === undefined) return undefined;
  if (stats.uid !== self) return 'it belongs to another user';
  if ((stats.mode & forbidden) === 0) return undefined;
  return (stats.mode & 0o022) === 0 ? 'other users can read it' : 'other users can write to it';
}

// Only the lock holder writes drafts, so an existing one was left by a process that died.
function sweepDrafts(path: string): void {
  const own = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(own) && name.endsWith('.draft')) unlinkSync(join(dirname(path), name));
  }
}

/** Makes a rename durable. */
export function syncDirectory(directory: string): void {
  // Windows cannot open directories, and does not need this for durable renames.
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
