import type { LineEnding } from '../../ports/files.js';
import type { Units } from './encoding.js';

export function lineEndingOf(units: Units): LineEnding {
  const hasCrLf = units.includes('\r\n');
  const hasLf = /(?<!\r)\n/.test(units);
  const hasCr = /\r(?!\n)/.test(units);
  const kinds = [hasCrLf, hasLf, hasCr].filter(Boolean).length;
  if (kinds === 0) return 'none';
  if (kinds > 1) return 'mixed';
  return hasCrLf ? 'crlf' : hasLf ? 'lf' : 'cr';
}

/** A lone carriage return ends a line only in a text without line feeds, as on old Macs. */
export function endsWithReturns(units: Units): boolean {
  return !units.includes('\n') && units.includes('\r');
}

export type Ending = '\n' | '\r\n' | '\r';

/** The ending for a new line at this place, taken from its neighbours. Places must not go backward. */
export function createEndingFinder(units: Units): (start: number) => Ending {
  if (endsWithReturns(units)) return () => '\r';
  const last = units.lastIndexOf('\n');
  let next = -1;
  return (start) => {
    // On a long line, all places before it share the same line feed.
    if (next < start) next = start > last ? last : units.indexOf('\n', start);
    return next > 0 && units[next - 1] === '\r' ? '\r\n' : '\n';
  };
}

export interface Plain {
  readonly text: string;
  /** Maps an index in the plain text to the original. */
  origin(index: number): number;
}

/** The text with every line ending as `\n`, and a map back. */
export function plainOf(units: Units): Plain {
  if (endsWithReturns(units)) return { text: units.replaceAll('\r', '\n'), origin: (index) => index };
  const shortened: number[] = [];
  for (let at = units.indexOf('\r\n'); at !== -1; at = units.indexOf('\r\n', at + 2)) {
    // The index in the plain text of a `\n` that lost its `\r`.
    shortened.push(at - shortened.length);
  }
  if (shortened.length === 0) return { text: units, origin: (index) => index };
  const text = units.replaceAll('\r\n', '\n');
  return { text, origin: (index) => index + countBelow(shortened, index) };
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
