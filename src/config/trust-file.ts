import { isRecord } from '../lib/is-record.js';
import { readPrivateFile, replacePrivateFile } from './private-file.js';

/** A file that the operator has trusted, identified by its content at that time. */
export interface TrustRecord {
  readonly file: string;
  readonly sha256: string;
  /** ISO date. */
  readonly recorded: string;
  /** The files that the hash covers, each with its own hash, if it covers several. */
  readonly covers?: Readonly<Record<string, string>>;
  /** What else callers must not change, because it decides which files are loaded. Not part of the hash. */
  readonly guards?: TrustGuards;
  /** Size and hash of single files that the hash covers: a change is found without searching what they load. */
  readonly parts?: Readonly<Record<string, string>>;
}

export interface TrustGuards {
  /** Files and folders that must not change. */
  readonly fixed: readonly string[];
  /** Paths that must not be created. */
  readonly absent: readonly string[];
}

export type TrustContent =
  | { readonly state: 'sound'; readonly records: readonly TrustRecord[] }
  | { readonly state: 'unsafe' | 'corrupt'; readonly reason: string };

/** Larger than any record we write: 1,000 entries with long paths. */
const LARGEST = 8 * 1024 * 1024;

/** Reads the record, unless another user could have written it. A missing file has no entries. */
export function readTrustFile(path: string): TrustContent {
  const content = readPrivateFile(path, { largest: LARGEST, forbidden: 0o022 });
  if (content.state === 'absent') return { state: 'sound', records: [] };
  return content.state === 'sound' ? parseRecords(content.text) : content;
}

/** Replaces the record atomically: readers see the old or the new one, even after a power failure. */
export function writeTrustFile(
  path: string,
  records: readonly TrustRecord[],
  mayCommit: () => boolean,
): void {
  const files = Object.fromEntries(records.map(({ file, ...record }) => [file, record]));
  replacePrivateFile(path, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`, mayCommit);
}

function parseRecords(text: string): TrustContent {
  const corrupt = { state: 'corrupt', reason: 'it was not written by Tidegate' } as const;
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return corrupt;
  }
  if (!isRecord(content) || content['version'] !== 1 || !isRecord(content['files'])) return corrupt;
  const records = Object.entries(content['files']).map(([file, entry]) => parseRecord(file, entry));
  const sound = records.filter((record) => record !== undefined);
  // One bad entry makes the others untrustworthy too.
  return sound.length === records.length ? { state: 'sound', records: sound } : corrupt;
}

function parseRecord(file: string, entry: unknown): TrustRecord | undefined {
  if (!isRecord(entry)) return undefined;
  const { sha256, recorded, covers, guards, parts } = entry;
  if (typeof sha256 !== 'string' || typeof recorded !== 'string') return undefined;
  if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  if (covers !== undefined && !isTexts(covers)) return undefined;
  if (guards !== undefined && !isGuards(guards)) return undefined;
  if (parts !== undefined && !isTexts(parts)) return undefined;
  return {
    ...{ file, sha256, recorded },
    ...(covers && { covers }),
    ...(guards && { guards }),
    ...(parts && { parts }),
  };
}

function isGuards(value: unknown): value is TrustGuards {
  return isRecord(value) && [value['fixed'], value['absent']].every(isTextList);
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((one) => typeof one === 'string');
}
