import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../../ports/files.js';
import type { Units } from './encoding.js';
import { endsWithReturns, plainOf } from './line-endings.js';

/** The position of the old text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Matches exactly, including carriage returns. */
  readonly isExact: boolean;
}

/** Finds the old text from left to right. A generator, because a large file can have millions of places. */
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

/** The old text with its line endings as `\n`, so that they match any line ending of the file. */
export function plainOld(units: Units, oldUnits: Units): Units {
  const plain = oldUnits.replaceAll('\r\n', '\n');
  return endsWithReturns(units) ? plain.replaceAll('\r', '\n') : plain;
}

/** Matches never overlap. */
export function* findAll(text: string, wanted: string): Generator<number> {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) yield at;
}

/** Only in lines that are not UTF-8 is a byte one character; elsewhere it may be part of one. */
export function createShownAs(units: Units, encoding: Encoding): (span: Span) => boolean {
  // The last lines checked, because a line may hold many places.
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
