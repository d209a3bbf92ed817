import { largest } from './largest.js';
import { cutTo, padded, unpainted, widthOf } from './text-width.js';
import { wrapped } from './wrap.js';

export interface TableLook {
  /** The width of the terminal; infinite without one. */
  readonly columns: number;
  /** How to handle a last cell that is too long. */
  readonly long: 'cut' | 'wrapped';
}

type Rows = readonly (readonly string[])[];

const gap = '  ';
const minLastWidth = 20;
const minNameWidth = 12;
/** Wider cells do not widen their column, because every other row would get as long. */
const maxCellWidth = 256;
const hang = '    ';

/** Aligns columns, with numbers to the right. On a terminal, only single words can exceed the width. */
export function tableLines(rows: Rows, look: TableLook): readonly string[] {
  const full = layoutOf(rows);
  if (fits(full, look.columns)) return full.rows.flatMap((row) => rowLines(row, full, look));
  const some = layoutOf(withoutEmptyColumns(full.rows));
  const layout = fits(some, look.columns) ? some : withNarrowNames(some, look.columns);
  return layout.rows.flatMap((row) => rowLines(row, layout, look));
}

interface Layout {
  readonly rows: Rows;
  readonly widths: readonly number[];
  readonly isNumber: readonly boolean[];
}

function layoutOf(rows: Rows): Layout {
  const count = largest(rows.map((row) => row.length));
  const columns = Array.from({ length: count }, (_, at) => rows.map((row) => row[at] ?? ''));
  return {
    rows,
    widths: columns.map((cells) => Math.min(maxCellWidth, largest(cells.map(cellWidth)))),
    isNumber: columns.map((cells, at) => at > 0 && isNumbers(cells.map(unpainted))),
  };
}

function cellWidth(cell: string): number {
  return widthOf(cell, maxCellWidth);
}

/** A number with an optional unit. */
const number = /^\d[\d,]*(?:\.\d+)?(?: (?:ms|s|%))?$/;

function isNumbers([first = '', ...others]: readonly string[]): boolean {
  const isCount = (cell: string): boolean => number.test(cell) || cell === '-' || cell === '';
  const hasAny = [first, ...others].some((cell) => number.test(cell));
  return hasAny && others.every(isCount) && (isCount(first) || /^[A-Z ]+$/.test(first));
}

function fits({ widths }: Layout, columns: number): boolean {
  const last = Math.min(widths.at(-1) ?? 0, minLastWidth);
  return sum(widths.slice(0, -1)) + last <= columns;
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width + gap.length, 0);
}

/** Drops columns that have only a heading. */
function withoutEmptyColumns(rows: Rows): Rows {
  const isEmpty = (at: number): boolean => rows.slice(1).every((row) => (row[at] ?? '-') === '-');
  const kept = (rows[0] ?? []).map((_, at) => at).filter((at) => rows.length < 2 || !isEmpty(at));
  return rows.map((row) => kept.map((at) => row[at] ?? ''));
}

/** Puts first cells that are too long on their own line. */
function withNarrowNames(layout: Layout, columns: number): Layout {
  const { rows, widths } = layout;
  const room = columns - sum(widths.slice(1, -1)) - gap.length - minLastWidth;
  if (room < minNameWidth) return layout;
  const own = rows.map(([name = '']) => cellWidth(name)).filter((width) => width <= room);
  return { ...layout, widths: [largest(own), ...widths.slice(1)] };
}

function rowLines(row: readonly string[], layout: Layout, look: TableLook): readonly string[] {
  const { widths, isNumber } = layout;
  const last = row.length - 1;
  const [name = '', ...others] = row.slice(0, last);
  const isLong = last > 0 && Number.isFinite(look.columns) && cellWidth(name) > (widths[0] ?? 0);
  const cells = last > 0 ? [isLong ? '' : name, ...others] : [];
  const before = cells.map((cell, at) => padded(cell, widths[at] ?? 0, isNumber[at] ? 'start' : 'end') + gap);
  const least = Math.min(widths[last] ?? 0, minLastWidth);
  const lead = folded(before, least, look.columns);
  const room = Math.max(look.columns - widthOf(lead.at(-1) ?? ''), minLastWidth);
  const cell = isNumber[last] ? padded(row[last] ?? '', widths[last] ?? 0, 'start') : (row[last] ?? '');
  return [...(isLong ? [name] : []), ...withLast(lead, lastLines(cell, room, look))].map((line) =>
    line.trimEnd(),
  );
}

/** Continues cells on the next line if they do not fit. */
function folded(cells: readonly string[], last: number, columns: number): readonly string[] {
  const lines = [''];
  for (const cell of cells) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && widthOf(line) + widthOf(cell) - gap.length > columns) lines.push(`${hang}${cell}`);
    else lines[lines.length - 1] = line + cell;
  }
  return widthOf(lines.at(-1) ?? '') + last > columns ? [...lines, hang] : lines;
}

function withLast(lead: readonly string[], [first = '', ...rest]: readonly string[]): readonly string[] {
  const indent = lead.at(-1) ?? '';
  const blanks = ' '.repeat(widthOf(indent));
  return [
    ...lead.slice(0, -1),
    `${indent}${first}`,
    ...rest.map((line) => (first === '' ? line : blanks + line)),
  ];
}

/** Never cuts a path, but puts it on the next line. */
function lastLines(cell: string, room: number, { columns, long }: TableLook): readonly string[] {
  if (!Number.isFinite(columns) || widthOf(cell, room) <= room) return [cell];
  if (isPath(cell)) return ['', `${hang}${cell}`];
  if (long === 'cut') return [cutTo(cell, room)];
  const lines = wrapped(cell, room);
  if (lines.every((line) => widthOf(line, room) <= room)) return lines;
  return ['', ...wrapped(cell, columns - hang.length).map((line) => hang + line)];
}

const longestPath = 400;

function isPath(cell: string): boolean {
  return cell.length <= longestPath && /^[!-~]*[\\/][!-~]*$/.test(cell.trim());
}
