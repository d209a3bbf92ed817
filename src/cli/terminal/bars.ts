import { largest } from './largest.js';
import { cutTo, padded, widthOf } from './text-width.js';

/** A column of a chart: text is left-aligned, numbers are right-aligned. */
export interface Column {
  readonly head: string;
  readonly isNumber?: boolean;
}

export interface BarRow {
  readonly cells: readonly string[];
  /** The length of the bar, relative to the other rows. */
  readonly value: number;
}

export interface Chart {
  readonly columns: readonly Column[];
  readonly rows: readonly BarRow[];
  /** The width of a line. */
  readonly width: number;
  readonly fill: string;
  /** Marks a name that is cut off. */
  readonly rest: string;
  /** Colors the bars. */
  readonly paint: (text: string) => string;
}

const gap = '  ';
const longestBar = 40;
const shortestBar = 8;
const shortestName = 12;

/** A table with a bar at the end of each line. To fit the width, names are cut before bars. */
export function barLines({ columns, rows, width, fill, rest, paint }: Chart): readonly string[] {
  const widths = columns.map(({ head }, at) =>
    largest(
      rows.map(({ cells }) => widthOf(cells[at] ?? '', width)),
      head.length,
    ),
  );
  const others = widths.slice(1).reduce((sum, own) => sum + own + gap.length, 0);
  const room = width - others - gap.length - shortestBar;
  const first = Math.min(widths[0] ?? 0, Math.max(room, shortestName));
  const bar = Math.min(longestBar, Math.max(0, width - others - gap.length - first));
  const layout = { columns, sizes: [first, ...widths.slice(1)], rest };
  const most = largest(
    rows.map(({ value }) => value),
    1,
  );
  const heads = lineOf(
    columns.map(({ head }) => head),
    layout,
  );
  return [
    heads.trimEnd(),
    ...rows.map(({ cells, value }) => {
      const length = value <= 0 ? 0 : Math.max(1, Math.round((value / most) * bar));
      const drawn = length === 0 || bar < shortestBar ? '' : `${gap}${paint(fill.repeat(length))}`;
      return `${lineOf(cells, layout)}${drawn}`.trimEnd();
    }),
  ];
}

interface Layout extends Pick<Chart, 'columns' | 'rest'> {
  readonly sizes: readonly number[];
}

function lineOf(cells: readonly string[], { columns, sizes, rest }: Layout): string {
  return cells
    .map((cell, at) => {
      const size = sizes[at] ?? 0;
      return padded(cutTo(cell, size, rest), size, columns[at]?.isNumber === true ? 'start' : 'end');
    })
    .join(gap);
}
