import { compareLines, type Step } from './compare-lines.js';
import type { Units } from './encoding.js';

export interface DiffParts {
  readonly name: string;
  readonly before: Units;
  readonly after: Units;
  readonly isNew: boolean;
  /** Units as people read them. */
  readonly decode: (units: Units) => string;
}

export interface Diff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const contextLines = 3;
const maxLines = 400;
const maxLineLength = 500;
/** The difference of two texts as a unified diff, bounded in length whatever the texts are. */
export function diffTexts({ name, before, after, isNew, decode }: DiffParts): Diff {
  const { skipped, steps } = stepsBetween(before, after);
  const added = steps.filter(({ sign }) => sign === '+').length;
  const removed = steps.filter(({ sign }) => sign === '-').length;
  if (added + removed === 0) return { text: '', added, removed };
  const lines = hunksOf(steps).flatMap((hunk) => linesOf(hunk, { skipped, steps }));
  const shownLines = lines.slice(0, maxLines).map((line) => shorten(line, decode));
  const left = lines.length - shownLines.length;
  const header = [isNew ? '--- /dev/null' : `--- a/${name}`, `+++ b/${name}`];
  const end = left > 0 ? [`… ${left} more lines of this diff are left out`] : [];
  return { text: [...header, ...shownLines, ...end].join('\n'), added, removed };
}

interface Steps {
  /** Lines at the beginning that are the same in both and not among the steps. */
  readonly skipped: number;
  readonly steps: readonly Step[];
}

/** Only what lies between the common beginning and the common end is compared line by line. */
function stepsBetween(before: Units, after: Units): Steps {
  const start = before.lastIndexOf('\n', commonStart(before, after) - 1) + 1;
  const end = commonEnd(before, after, start);
  const oldLines = piecesOf(before.slice(start, before.length - end));
  const newLines = piecesOf(after.slice(start, after.length - end));
  const lead = piecesOf(before.slice(backBy(before, start, contextLines), start));
  const trail = piecesOf(
    before.slice(before.length - end, forwardBy(before, before.length - end, contextLines)),
  );
  const steps = [...same(lead), ...compareLines(oldLines, newLines), ...same(trail)];
  return { skipped: countLines(before, start) - lead.length, steps };
}

function commonStart(before: Units, after: Units): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at;
}

/** How long the common end is, counted from the beginning of a line. */
function commonEnd(before: Units, after: Units, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (
    length < most &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  )
    length += 1;
  const feed = before.indexOf('\n', before.length - length);
  return length === 0 || feed === -1 ? 0 : before.length - feed - 1;
}

function backBy(units: Units, from: number, lines: number): number {
  let at = from;
  for (let count = 0; count < lines && at > 0; count += 1)
    at = at < 2 ? 0 : units.lastIndexOf('\n', at - 2) + 1;
  return at;
}

function forwardBy(units: Units, from: number, lines: number): number {
  let at = from;
  for (let count = 0; count < lines && at < units.length; count += 1) {
    const feed = units.indexOf('\n', at);
    at = feed === -1 ? units.length : feed + 1;
  }
  return at;
}

function countLines(units: Units, until: number): number {
  let count = 0;
  for (let at = units.indexOf('\n'); at !== -1 && at < until; at = units.indexOf('\n', at + 1)) count += 1;
  return count;
}

function piecesOf(units: Units): readonly Units[] {
  return units === '' ? [] : units.split(/(?<=\n)/);
}

function same(lines: readonly Units[]): readonly Step[] {
  return lines.map((line) => ({ sign: ' ', line }));
}

interface Hunk {
  readonly from: number;
  readonly to: number;
}

/** Changes with the lines around them; changes that are near each other share theirs. */
function hunksOf(steps: readonly Step[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const [index, { sign }] of steps.entries()) {
    if (sign === ' ') continue;
    const from = Math.max(0, index - contextLines);
    const to = Math.min(steps.length, index + contextLines + 1);
    const last = hunks.at(-1);
    if (last && from <= last.to) hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from, to });
  }
  return hunks;
}

function linesOf({ from, to }: Hunk, { skipped, steps }: Steps): readonly string[] {
  const before = steps.slice(0, from);
  const inside = steps.slice(from, to);
  const header = `@@ -${rangeOf('+', before, inside, skipped)} +${rangeOf('-', before, inside, skipped)} @@`;
  return [header, ...inside.flatMap(({ sign, line }) => lineOf(sign, line))];
}

/** Where the hunk lies in the text that does not have the lines of the given sign. */
function rangeOf(
  absent: '+' | '-',
  before: readonly Step[],
  inside: readonly Step[],
  skipped: number,
): string {
  const present = (list: readonly Step[]): number => list.filter(({ sign }) => sign !== absent).length;
  const count = present(inside);
  return `${skipped + present(before) + (count > 0 ? 1 : 0)},${count}`;
}

function lineOf(sign: string, line: Units): readonly string[] {
  if (line.endsWith('\n')) return [sign + line.replace(/\r?\n$/, '')];
  return [sign + line, '\\ No newline at end of file'];
}

function shorten(line: Units, decode: (units: Units) => string): string {
  const text = decode(line);
  return text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
}
