import { readPrivateFile, replacePrivateFile } from './private-file.js';

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
  const content = readPrivateFile(path, { largest: LARGEST, forbidden: 0o022 });
  if (content.state === 'absent') return { state: 'sound', records: [] };
  return content.state === 'sound' ? parseRecords(content.text) : content;
}

/** Replaces the record in one step: whoever reads sees the old or the new one, also after a power cut. */
export function writeTrustFile(
  path: string,
  records: readonly TrustRecord[],
  mayCommit: () => boolean,
): void {
  const files = Object.fromEntries(records.map(({ file, sha256, recorded }) => [file, { sha256, recorded }]));
  replacePrivateFile(path, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`, mayCommit);
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
