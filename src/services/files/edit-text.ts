import { isUtf8 } from 'node:buffer';
import type { Encoding, TextEdit } from '../../kernel/files-port.js';
import { encode, type Units } from './encoding.js';
import { endingNear, endsWithReturns, plainOf } from './line-endings.js';

export interface Edited {
  readonly units: Units;
  readonly replacements: number;
}

export type EditProblem =
  | { readonly problem: 'same' | 'empty' | 'not_encodable' }
  | { readonly problem: 'absent'; readonly nearLines: readonly number[] }
  | { readonly problem: 'ambiguous'; readonly count: number; readonly lines: readonly number[] };

const maxListed = 20;

/** Makes one edit, or says why it cannot be made. Changes nothing but the places where the old text stands. */
export function editText(units: Units, edit: TextEdit, encoding: Encoding): Edited | EditProblem {
  if (edit.oldText === '') return { problem: 'empty' };
  if (edit.oldText === edit.newText) return { problem: 'same' };
  for (const as of encodingsFor(encoding)) {
    const oldUnits = encode(edit.oldText, as);
    if (oldUnits === undefined) continue;
    const found = findPlaces(units, oldUnits);
    const places = as === encoding ? found : found.filter((place) => isShownAs(as, units, place));
    if (places.length === 0) continue;
    if (places.length > 1 && edit.replaceAll !== true) return ambiguous(units, places);
    const newUnits = encode(edit.newText, as);
    if (newUnits === undefined) return { problem: 'not_encodable' };
    const edited = replaceAt(units, places, { oldUnits, newUnits });
    return edited === units ? { problem: 'same' } : { units: edited, replacements: places.length };
  }
  return { problem: 'absent', nearLines: linesLike(units, edit.oldText, encoding) };
}

/** What is nearly UTF-8 has lines that are shown as Latin-1, and the other way round. */
function encodingsFor(encoding: Encoding): readonly Encoding[] {
  if (encoding === 'utf-8') return ['utf-8', 'latin1'];
  return encoding === 'latin1' ? ['latin1', 'utf-8'] : [encoding];
}

/** Only in lines that are no UTF-8 is a byte a character: elsewhere it may be a part of one. */
function isShownAs(encoding: Encoding, units: Units, { start, end }: Span): boolean {
  const from = start === 0 ? 0 : units.lastIndexOf('\n', start - 1) + 1;
  const feed = units.indexOf('\n', end);
  const lines = Buffer.from(units.slice(from, feed === -1 ? units.length : feed), 'latin1');
  return isUtf8(lines) === (encoding === 'utf-8');
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** Found as it was given, carriage returns and all. */
  readonly isExact: boolean;
}

interface Replacement {
  readonly oldUnits: Units;
  readonly newUnits: Units;
}

/** Where the old text stands, a line ending in it standing for any line ending of the file. */
function findPlaces(units: Units, oldUnits: Units): readonly Span[] {
  const plain = plainOf(units);
  const found = findAll(plain.text, plainOld(units, oldUnits));
  if (found.length === 0 && oldUnits.includes('\r')) {
    return findAll(units, oldUnits).map((start) => ({ start, end: start + oldUnits.length, isExact: true }));
  }
  const length = plainOld(units, oldUnits).length;
  return found.map((at) => ({ start: plain.origin(at), end: plain.origin(at + length), isExact: false }));
}

function plainOld(units: Units, oldUnits: Units): Units {
  const plain = oldUnits.replaceAll('\r\n', '\n');
  return endsWithReturns(units) ? plain.replaceAll('\r', '\n') : plain;
}

/** From left to right, never overlapping. */
function findAll(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    found.push(at);
  return found;
}

function replaceAt(units: Units, places: readonly Span[], replacement: Replacement): Units {
  const parts: Units[] = [];
  let done = 0;
  for (const place of places) {
    parts.push(units.slice(done, place.start), replacementAt(units, place, replacement));
    done = place.end;
  }
  return parts.join('') + units.slice(done);
}

/** Lines at either end that the edit leaves as they are keep their bytes, line endings and all. */
function replacementAt(
  units: Units,
  { start, end, isExact }: Span,
  { oldUnits, newUnits }: Replacement,
): Units {
  if (isExact) return newUnits;
  const ending = endingNear(units, start, end);
  const found = piecesOf(units.slice(start, end), ending === '\r' ? '\r' : '\n');
  const before = piecesOf(plainOld(units, oldUnits), '\n');
  // Who writes `\r\n` in the old text means a line ending by it, and not these two characters.
  const after = piecesOf(oldUnits.includes('\r\n') ? newUnits.replaceAll('\r\n', '\n') : newUnits, '\n');
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const changed = after.slice(head, after.length - tail).map((piece) => withEnding(piece, ending));
  return [...found.slice(0, head), ...changed, ...found.slice(found.length - tail)].join('');
}

/** Lines with their endings, so that joined they are the text again. */
function piecesOf(units: Units, ending: '\n' | '\r'): readonly Units[] {
  return units.split(ending === '\n' ? /(?<=\n)/ : /(?<=\r)/);
}

function withEnding(piece: Units, ending: string): Units {
  return piece.endsWith('\n') && !piece.endsWith('\r\n') ? piece.slice(0, -1) + ending : piece;
}

function ambiguous(units: Units, places: readonly Span[]): EditProblem {
  const lines = places.slice(0, maxListed).map(({ start }) => lineAt(units, start));
  return { problem: 'ambiguous', count: places.length, lines };
}

/** Where the first line of the wanted text stands, for somebody who remembers the rest of it wrongly. */
function linesLike(units: Units, oldText: string, encoding: Encoding): readonly number[] {
  const [first = ''] = oldText
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wanted = encode(first, encoding);
  if (wanted === undefined || wanted.length < 4) return [];
  return findAll(units, wanted)
    .slice(0, 5)
    .map((at) => lineAt(units, at));
}

function lineAt(units: Units, index: number): number {
  const ending = endsWithReturns(units) ? '\r' : '\n';
  let line = 1;
  for (let at = units.indexOf(ending); at !== -1 && at < index; at = units.indexOf(ending, at + 1)) line += 1;
  return line;
}
