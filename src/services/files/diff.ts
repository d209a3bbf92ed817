import { compareLines, type Step } from './compare-lines.js';
import type { Units } from './encoding.js';

export interface DiffParts {
  readonly name: string;
  readonly before: Units;
  readonly after: Units;
  readonly isNew: boolean;
  /** Converts units to readable text. */
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
/** In longer texts, everything between the common start and end counts as replaced. */
const maxCompared = 1024 * 1024;
const maxComparedLines = 50_000;

/** A unified diff of two texts, bounded in length and time for any input. */
export function diffTexts(parts: DiffParts): Diff {
  const { name, before, after, isNew } = parts;
  if (before === after) return { text: '', added: 0, removed: 0 };
  const gap = gapBetween(before, after);
  const isLong = isTooLong(before, after, gap);
  const { lines, added, removed } = isLong ? replaced(parts, gap) : compared(parts, gap);
  const header = [isNew ? '--- /dev/null' : `--- a/${name}`, `+++ b/${name}`];
  const kept = lines.slice(0, maxLines).map((line) => shorten(line, parts.decode));
  const left = lines.length - kept.length;
  const end = left > 0 ? [`… ${left} more lines of this diff are left out`] : [];
  return { text: [...header, ...kept, ...end].join('\n'), added, removed };
}

function isTooLong(before: Units, after: Units, { start, oldEnd, newEnd }: Gap): boolean {
  if (oldEnd + newEnd - 2 * start > maxCompared) return true;
  return countLines(before, start, oldEnd) + countLines(after, start, newEnd) > maxComparedLines;
}

interface Lines {
  readonly lines: readonly Units[];
  readonly added: number;
  readonly removed: number;
}

/** Compares only the gap. */
function compared({ before, after }: DiffParts, { start, oldEnd, newEnd }: Gap): Lines {
  const lead = piecesOf(before.slice(backBy(before, start, contextLines), start));
  const trail = piecesOf(before.slice(oldEnd, forwardBy(before, oldEnd, contextLines)));
  const changes = compareLines(piecesOf(before.slice(start, oldEnd)), piecesOf(after.slice(start, newEnd)));
  const steps = [...same(lead), ...changes, ...same(trail)];
  const skipped = countLines(before, 0, start) - lead.length;
  const lines = hunkLines(steps, skipped);
  const count = (wanted: Step['sign']): number => changes.filter(({ sign }) => sign === wanted).length;
  return { lines, added: count('+'), removed: count('-') };
}

function replaced({ before, after }: DiffParts, { start, oldEnd, newEnd }: Gap): Lines {
  const removed = countLines(before, start, oldEnd);
  const added = countLines(after, start, newEnd);
  const first = countLines(before, 0, start) + 1;
  const some = (units: Units, sign: string): readonly Units[] => {
    const until = forwardBy(units, start, maxLines / 2 - 1);
    return piecesOf(units.slice(start, until)).map((line) => sign + line.replace(/\r?\n$/, ''));
  };
  const shownLines = [...some(before.slice(0, oldEnd), '-'), ...some(after.slice(0, newEnd), '+')];
  const note = '… the texts are too long to compare line by line; only their beginnings are shown';
  return { lines: [`@@ -${first},${removed} +${first},${added} @@`, note, ...shownLines], added, removed };
}

/** The part between the common start and the common end of two texts, in whole lines. */
interface Gap {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

function gapBetween(before: Units, after: Units): Gap {
  const start = lineStart(before, commonStart(before, after));
  const end = commonEnd(before, after, start);
  return { start, oldEnd: before.length - end, newEnd: after.length - end };
}

function lineStart(units: Units, at: number): number {
  return at === 0 ? 0 : units.lastIndexOf('\n', at - 1) + 1;
}

function commonStart(before: Units, after: Units): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at;
}

/** The length of the common end, counted from the start of a line. */
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

function countLines(units: Units, from: number, until: number): number {
  let count = 0;
  for (let at = units.indexOf('\n', from); at !== -1 && at < until; at = units.indexOf('\n', at + 1))
    count += 1;
  return until > from && units[until - 1] !== '\n' ? count + 1 : count;
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

/** Changes with the lines around them; changes close together share a hunk. */
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

/** `skipped`: equal lines at the start that are not among the steps. */
function hunkLines(steps: readonly Step[], skipped: number): readonly string[] {
  const passed = { old: skipped, new: skipped };
  let at = 0;
  const pass = (list: readonly Step[]): void => {
    for (const { sign } of list) {
      if (sign !== '+') passed.old += 1;
      if (sign !== '-') passed.new += 1;
    }
  };
  return hunksOf(steps).flatMap(({ from, to }) => {
    pass(steps.slice(at, from));
    const inside = steps.slice(from, to);
    const [oldAt, newAt] = [passed.old, passed.new];
    pass(inside);
    at = to;
    const header = `@@ -${rangeOf(oldAt, passed.old - oldAt)} +${rangeOf(newAt, passed.new - newAt)} @@`;
    return [header, ...inside.flatMap(({ sign, line }) => lineOf(sign, line))];
  });
}

function rangeOf(passed: number, count: number): string {
  return `${passed + (count > 0 ? 1 : 0)},${count}`;
}

function lineOf(sign: string, line: Units): readonly string[] {
  if (line.endsWith('\n')) return [sign + line.replace(/\r?\n$/, '')];
  return [sign + line, '\\ No newline at end of file'];
}

function shorten(line: Units, decode: (units: Units) => string): string {
  const text = decode(line);
  return text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
}
