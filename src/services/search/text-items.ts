import type { TextMode } from '../../ports/search.js';
import { maxColumns } from './arguments.js';

/** ripgrep's output about one line or one file. */
export type Item =
  | {
      readonly kind: 'line';
      readonly line: number;
      readonly text: Buffer;
      readonly isMatch: boolean;
      readonly isCut: boolean;
    }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'file' }
  | { readonly kind: 'binary' };

const colon = 58;
const maxText = 4096;
const previewWords = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;
const longestWords = 60;

/**
 * Reads the part after the path: `12:text`, or `12-text` for a context line; `3`; or nothing. Copies what it
 * keeps.
 */
export function readItem(mode: TextMode, bytes: Buffer, isCut: boolean): Item | undefined {
  if (mode === 'files') return { kind: 'file' };
  if (mode === 'counts') return { kind: 'count', count: Number(bytes.toString('latin1', 0, 20)) };
  const number = readNumber(bytes);
  if (number === undefined) return undefined;
  const isMatch = bytes[number.end] === colon;
  return { kind: 'line', line: number.value, isMatch, ...textOf(bytes.subarray(number.end + 1), isCut) };
}

/** How many matching lines a record reports, without reading the rest of it. */
export function matchesIn(mode: TextMode, bytes: Buffer, from: number, to: number): number {
  if (mode === 'files') return 0;
  if (mode === 'counts') return Number(bytes.toString('latin1', from, to));
  let at = from;
  for (let digit = bytes[at]; digit !== undefined && digit >= 48 && digit <= 57; digit = bytes[at]) at += 1;
  return bytes[at] === colon ? 1 : 0;
}

function readNumber(bytes: Buffer): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let at = 0;
  for (let digit = bytes[at]; digit !== undefined && digit >= 48 && digit <= 57; digit = bytes[at]) {
    value = value * 10 + (digit - 48);
    at += 1;
  }
  return at === 0 || at >= bytes.length ? undefined : { value, end: at };
}

/** A line of at most `maxColumns` bytes is always complete, even if it ends like a cut line. */
function textOf(bytes: Buffer, isCut: boolean): { readonly text: Buffer; readonly isCut: boolean } {
  if (!isCut && bytes.length <= maxColumns) return { text: Buffer.from(bytes), isCut: false };
  const words = previewWords.exec(bytes.toString('latin1', Math.max(0, bytes.length - longestWords)));
  const end = words === null ? bytes.length : bytes.length - words[0].length;
  return { text: Buffer.from(bytes.subarray(0, Math.min(end, maxText))), isCut: true };
}
