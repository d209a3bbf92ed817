import type { Encoding, FileChange, WriteOptions } from '../../ports/files.js';
import { commit } from './commit.js';
import type { FileContext } from './file-service.js';
import { encode, isWide, type Stored, toStored } from './encoding.js';
import { changedSinceRead, notEncodable, notRead, tooLarge } from './failures.js';
import { isAsKnown } from './known.js';
import { lineEndingOf } from './line-endings.js';
import { natureOf } from './sniff.js';
import { type Current, readCurrent, refuseReadOnly, type Spot, withSpot } from './spot.js';

/** The largest file that is read whole, to compare or edit it. */
export const maxWhole = 16 * 1024 * 1024;

/** Writes a whole file, keeping the encoding and line endings of the present one. */
export async function writeFile(
  given: string,
  text: string,
  options: WriteOptions,
  context: FileContext,
): Promise<FileChange> {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxWhole) throw tooLarge(given, bytes, maxWhole);
  return await withSpot({ given, mayCreate: true }, context, async (spot) => {
    const current = await readCurrent(spot, context, maxWhole);
    if (current) await refuseUnseen(spot, current, context);
    const after = storedAs(text, current, given);
    return await commit({ spot, ...(current && { current }), after, replacements: 1, options }, context);
  });
}

/** An empty file has no content to lose. */
async function refuseUnseen(spot: Spot, current: Current, { known, session }: FileContext): Promise<void> {
  const seen = known.recall(session, spot.path);
  if (seen === undefined && current.bytes?.length !== 0) throw notRead(spot.given);
  if (seen !== undefined && !isAsKnown(seen, current.knowledge)) throw changedSinceRead(spot.given);
  await refuseReadOnly(spot);
}

function textIn(bytes: Buffer): Stored | undefined {
  const stored = toStored(bytes);
  return natureOf(bytes, isWide(stored.encoding)).kind === 'text' ? stored : undefined;
}

/**
 * Keeps the encoding, byte order mark and line ending of the present text; a new text is UTF-8, stored as
 * given.
 */
function storedAs(text: string, current: Current | undefined, given: string): Stored {
  const old = current?.bytes && current.bytes.length > 0 ? textIn(current.bytes) : undefined;
  const usual = lineEndingOf(old?.units ?? '');
  const isPlain = !text.includes('\r');
  const ending = usual === 'crlf' ? '\r\n' : usual === 'cr' ? '\r' : '\n';
  const unmarked = old?.hasBom ? text.replace(/^\uFEFF/, '') : text;
  const inForm = isPlain ? unmarked.replaceAll('\n', ending) : unmarked;
  const encoding: Encoding = old?.encoding ?? 'utf-8';
  const units = encode(inForm, encoding);
  if (units !== undefined) return { encoding, hasBom: old?.hasBom ?? false, units, tail: Buffer.alloc(0) };
  const inUtf8 = encode(inForm, 'utf-8');
  // Latin-1 is only the fallback when detection fails, so a text that it cannot hold becomes UTF-8.
  if (inUtf8 === undefined || encoding !== 'latin1') throw notEncodable(given, encoding);
  return { encoding: 'utf-8', hasBom: false, units: inUtf8, tail: Buffer.alloc(0) };
}
