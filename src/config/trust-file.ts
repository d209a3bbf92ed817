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

/** A file that the operator let start things, by the content it had then. */
export interface TrustRecord {
  readonly file: string;
  readonly sha256: string;
  /** When, as an ISO date. */
  readonly recorded: string;
}

export type TrustContent =
  | { readonly state: 'sound'; readonly records: readonly TrustRecord[] }
  | { readonly state: 'unsafe' | 'corrupt'; readonly reason: string };

/** More than any record of ours can be: 1,000 entries with long paths. */
const LARGEST = 8 * 1024 * 1024;

/** Reads the record, unless somebody else could have written it. An absent file is a sound one without entries. */
export function readTrustFile(path: string): TrustContent {
  // Windows lacks the last two; there, undefined counts as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return { state: 'sound', records: [] };
    return code === 'ELOOP'
      ? { state: 'unsafe', reason: 'it is a link' }
      : { state: 'corrupt', reason: String(error) };
  }
  try {
    const stats = fstatSync(descriptor);
    const reason = suspicionOf(stats);
    if (reason !== undefined) return { state: 'unsafe', reason };
    if (stats.size > LARGEST) return { state: 'corrupt', reason: 'it is too large' };
    return parseRecords(readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the record in one step: whoever reads sees the old or the new one, also after a power cut. */
export function writeTrustFile(
  path: string,
  records: readonly TrustRecord[],
  mayCommit: () => boolean,
): void {
  sweepDrafts(path);
  const files = Object.fromEntries(records.map(({ file, sha256, recorded }) => [file, { sha256, recorded }]));
  const draft = `${path}.${randomUUID()}.draft`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (!mayCommit()) {
    unlinkSync(draft);
    throw new Error('another process changed it at the same time');
  }
  renameSync(draft, path);
  syncDirectory(dirname(path));
}

function suspicionOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  const self = process.geteuid?.();
  if (self === undefined) return undefined;
  if (stats.uid !== self) return 'it belongs to another user';
  return (stats.mode & 0o022) === 0 ? undefined : 'other users may write to it';
}

function parseRecords(text: string): TrustContent {
  const corrupt = { state: 'corrupt', reason: 'it is not a record that Tidegate wrote' } as const;
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return corrupt;
  }
  if (!isObject(content) || content['version'] !== 1 || !isObject(content['files'])) return corrupt;
  const records = Object.entries(content['files']).map(([file, entry]) => parseRecord(file, entry));
  const sound = records.filter((record) => record !== undefined);
  // One bad entry makes the others doubtful too.
  return sound.length === records.length ? { state: 'sound', records: sound } : corrupt;
}

function parseRecord(file: string, entry: unknown): TrustRecord | undefined {
  if (!isObject(entry)) return undefined;
  const { sha256, recorded } = entry;
  if (typeof sha256 !== 'string' || typeof recorded !== 'string') return undefined;
  return /^[0-9a-f]{64}$/.test(sha256) ? { file, sha256, recorded } : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Only the holder of the lock writes drafts: any that is there was left by a process that died.
function sweepDrafts(path: string): void {
  const own = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(own) && name.endsWith('.draft')) unlinkSync(join(dirname(path), name));
  }
}

function syncDirectory(directory: string): void {
  // Windows cannot open directories; its file systems keep renames without this.
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
