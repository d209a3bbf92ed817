import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../../ports/files.js';
import type { Units } from './encoding.js';
import { endsWithReturns, plainOf } from './line-endings.js';

/** Where the old text is. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Found as it was given, carriage returns and all. */
  readonly isExact: boolean;
}

/** The places of the old text from left to right, one at a time: a large file can have millions. */
export function* findPlaces(units: Units, oldUnits: Units): Generator<Span> {
  const plain = plainOf(units);
  const wanted = plainOld(units, oldUnits);
  let isFound = false;
  for (const at of findAll(plain.text, wanted)) {
    isFound = true;
    yield { start: plain.origin(at), end: plain.origin(at + wanted.length), isExact: false };
  }
  if (isFound || !oldUnits.includes('\r')) return;
  for (const start of findAll(units, oldUnits)) yield { start, end: start + oldUnits.length, isExact: true };
}

/** The old text, a line ending in it standing for any line ending of the file. */
export function plainOld(units: Units, oldUnits: Units): Units {
  const plain = oldUnits.replaceAll('\r\n', '\n');
  return endsWithReturns(units) ? plain.replaceAll('\r', '\n') : plain;
}

/** Never overlapping. */
export function* findAll(text: string, wanted: string): Generator<number> {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) yield at;
}

/** Only in lines that are not UTF-8 is a byte a character: elsewhere it may be a part of one. */
export function createShownAs(units: Units, encoding: Encoding): (span: Span) => boolean {
  // The lines that were looked at last: a line may hold many places.
  let seen = { from: 0, to: -1, isShown: false };
  return ({ start, end }) => {
    if (start >= seen.from && end <= seen.to) return seen.isShown;
    const from = start === 0 ? 0 : units.lastIndexOf('\n', start - 1) + 1;
    const feed = units.indexOf('\n', end);
    const to = feed === -1 ? units.length : feed;
    const lines = Buffer.from(units.slice(from, to), 'latin1');
    seen = { from, to, isShown: isUtf8(lines) === (encoding === 'utf-8') };
    return seen.isShown;
  };
}
