import type { Encoding, TextEdit } from '../../ports/files.js';
import { createShownAs, findAll, findPlaces, plainOld, type Span } from './edit-places.js';
import { encode, type Units } from './encoding.js';
import { createEndingFinder, endsWithReturns, type Ending } from './line-endings.js';

export interface Edited {
  readonly units: Units;
  readonly replacements: number;
}

export type EditProblem =
  | { readonly problem: 'same' | 'empty' | 'not_encodable' }
  | { readonly problem: 'too_long'; readonly length: number }
  | { readonly problem: 'absent'; readonly nearLines: readonly number[] }
  | { readonly problem: 'ambiguous'; readonly count: number; readonly lines: readonly number[] };

export interface EditLimits {
  /** In units of the result. */
  readonly maxLength: number;
  /** Awaited now and then, so that other calls can run. */
  readonly pause: () => Promise<void> | undefined;
}

const maxListed = 20;
const maxNear = 5;
/** Number of places between two pauses. */
const batch = 2048;

/** Applies one edit, or reports why it cannot. Changes only the places of the old text. */
export async function editText(
  units: Units,
  edit: TextEdit,
  encoding: Encoding,
  limits: EditLimits,
): Promise<Edited | EditProblem> {
  if (edit.oldText === '') return { problem: 'empty' };
  if (edit.oldText === edit.newText) return { problem: 'same' };
  for (const as of encodingsFor(encoding)) {
    const oldUnits = encode(edit.oldText, as);
    if (oldUnits === undefined) continue;
    const isShown = as === encoding ? () => true : createShownAs(units, as);
    const places = () => shownPlaces(units, oldUnits, isShown);
    const first = await countPlaces(places(), units, edit.replaceAll === true ? 1 : undefined, limits);
    if (first.count === 0) continue;
    if (first.count > 1) return { problem: 'ambiguous', ...first };
    const newUnits = encode(edit.newText, as);
    if (newUnits === undefined) return { problem: 'not_encodable' };
    return replaceAt(units, places(), { oldUnits, newUnits }, limits);
  }
  return { problem: 'absent', nearLines: linesLike(units, edit.oldText, encoding) };
}

/** A file that is nearly UTF-8 has lines shown as Latin-1, and the other way round. */
function encodingsFor(encoding: Encoding): readonly Encoding[] {
  if (encoding === 'utf-8') return ['utf-8', 'latin1'];
  return encoding === 'latin1' ? ['latin1', 'utf-8'] : [encoding];
}

function* shownPlaces(units: Units, oldUnits: Units, isShown: (span: Span) => boolean): Generator<Span> {
  for (const span of findPlaces(units, oldUnits)) if (isShown(span)) yield span;
}

interface Counted {
  readonly count: number;
  /** Line numbers of the first places. */
  readonly lines: readonly number[];
}

async function countPlaces(
  places: Iterable<Span>,
  units: Units,
  most: number | undefined,
  { pause }: EditLimits,
): Promise<Counted> {
  const lineAt = createLineCounter(units);
  const lines: number[] = [];
  let count = 0;
  for (const { start } of places) {
    count += 1;
    if (count === most) break;
    if (lines.length < maxListed) lines.push(lineAt(start));
    if (count % batch === 0) await pause();
  }
  return { count, lines };
}

interface Replacement {
  readonly oldUnits: Units;
  readonly newUnits: Units;
}

async function replaceAt(
  units: Units,
  places: Iterable<Span>,
  replacement: Replacement,
  { maxLength, pause }: EditLimits,
): Promise<Edited | EditProblem> {
  const replacementAt = createReplacer(units, replacement);
  const done: Units[] = [];
  let parts: Units[] = [];
  let length = 0;
  let from = 0;
  let replacements = 0;
  for (const place of places) {
    const text = replacementAt(place);
    parts.push(units.slice(from, place.start), text);
    length += place.start - from + text.length;
    from = place.end;
    replacements += 1;
    if (length > maxLength) break;
    if (replacements % batch !== 0) continue;
    // Joins now, because one part per place takes far more memory than the text.
    done.push(parts.join(''));
    parts = [];
    await pause();
  }
  length += units.length - from;
  if (length > maxLength) return { problem: 'too_long', length };
  const edited = [...done, ...parts, units.slice(from)].join('');
  return edited === units ? { problem: 'same' } : { units: edited, replacements };
}

/** Lines at either end that the edit does not change keep their bytes, including line endings. */
function createReplacer(units: Units, { oldUnits, newUnits }: Replacement): (place: Span) => Units {
  const endingNear = createEndingFinder(units);
  const before = piecesOf(plainOld(units, oldUnits), '\n');
  // `\r\n` in the old text means a line ending, not these two characters.
  const after = piecesOf(oldUnits.includes('\r\n') ? newUnits.replaceAll('\r\n', '\n') : newUnits, '\n');
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const changedLines = after.slice(head, after.length - tail);
  const changedWith = new Map<Ending, Units>();
  const changed = (ending: Ending): Units => {
    const known = changedWith.get(ending) ?? changedLines.map((piece) => withEnding(piece, ending)).join('');
    changedWith.set(ending, known);
    return known;
  };
  return ({ start, end, isExact }) => {
    if (isExact) return newUnits;
    const ending = endingNear(start);
    if (head + tail === 0) return changed(ending);
    const found = piecesOf(units.slice(start, end), ending === '\r' ? '\r' : '\n');
    return [...found.slice(0, head), changed(ending), ...found.slice(found.length - tail)].join('');
  };
}

/** Lines with their endings; joining them gives the text again. */
function piecesOf(units: Units, ending: '\n' | '\r'): readonly Units[] {
  return units.split(ending === '\n' ? /(?<=\n)/ : /(?<=\r)/);
}

function withEnding(piece: Units, ending: string): Units {
  return piece.endsWith('\n') && !piece.endsWith('\r\n') ? piece.slice(0, -1) + ending : piece;
}

/** Lines that contain the first line of the wanted text, for a caller that has the rest wrong. */
function linesLike(units: Units, oldText: string, encoding: Encoding): readonly number[] {
  const [first = ''] = oldText
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wanted = encode(first, encoding);
  if (wanted === undefined || wanted.length < 4) return [];
  const lineAt = createLineCounter(units);
  const lines: number[] = [];
  for (const at of findAll(units, wanted)) {
    lines.push(lineAt(at));
    if (lines.length === maxNear) break;
  }
  return lines;
}

/** Returns the line of an index. Indexes must not decrease. */
function createLineCounter(units: Units): (index: number) => number {
  const ending = endsWithReturns(units) ? '\r' : '\n';
  let line = 1;
  let next = units.indexOf(ending);
  return (index) => {
    for (; next !== -1 && next < index; next = units.indexOf(ending, next + 1)) line += 1;
    return line;
  };
}
