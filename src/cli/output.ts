import { printable, printableJson, printableLines, withoutLongWords } from '../config/index.js';
import { withoutUserinfo } from './without-userinfo.js';

/** Where text goes, and whether a person reads it there. */
export interface Sink {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** How commands speak: results on stdout, everything about them on stderr, or all of it as JSON. */
export interface Output {
  readonly isJson: boolean;
  /** How many columns a line of the result may take: those of the terminal, or any number elsewhere. */
  readonly columns: number;
  /** Characters on a line of the terminal, or as many as most have. */
  readonly width: number;
  readonly signs: Signs;
  /** A line of the result. Nothing in JSON mode. */
  line(text?: string): void;
  /** The whole result. Nothing but in JSON mode. */
  json(value: unknown): void;
  /** JSON that is text already, so that nothing of it is written anew. */
  jsonText(text: string): void;
  /** A remark for the person at the terminal, on stderr. */
  note(text: string): void;
  table(rows: readonly (readonly string[])[]): void;
  error(error: ShownError): void;
  /** Lines that take the place of those shown before, on a terminal; undefined elsewhere. */
  readonly screen: Screen | undefined;
  paint(colour: Colour, text: string): string;
}

/** The last lines of a terminal, which change while something goes on. */
export interface Screen {
  show(lines: readonly string[]): void;
  /** What was shown last stays. */
  keep(): void;
}

/** What stands for yes and no, and what trees are drawn with. */
export interface Signs {
  readonly yes: string;
  readonly no: string;
  readonly branch: string;
  readonly last: string;
  readonly bar: string;
  /** A part of a bar in a chart. */
  readonly fill: string;
  /** How work ended, or that it goes on. */
  readonly done: string;
  readonly failed: string;
  readonly stopped: string;
  readonly going: string;
}

const drawn: Signs = {
  yes: '✓',
  no: '✗',
  branch: '├─ ',
  last: '└─ ',
  bar: '│  ',
  fill: '█',
  done: '✓',
  failed: '✗',
  stopped: '■',
  going: '•',
};
/** For terminals without these characters, for files, and for other programs. */
const typed: Signs = {
  yes: 'allow',
  no: 'deny',
  branch: '|- ',
  last: '`- ',
  bar: '|  ',
  fill: '#',
  done: 'ok',
  failed: 'failed',
  stopped: 'stopped',
  going: '..',
};

export interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly next?: string | undefined;
  /** Each thing that is wrong, one line each. */
  readonly problems?: readonly string[] | undefined;
}

const colours: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 };

export interface Look {
  readonly hasColours: boolean;
  /** Whether the terminal can show more than ASCII. */
  readonly hasSigns: boolean;
}

export function createOutput(stdout: Sink, stderr: Sink, isJson: boolean, look: Look | boolean): Output {
  const { hasColours, hasSigns } = typeof look === 'boolean' ? { hasColours: look, hasSigns: false } : look;
  const painter =
    (sink: Sink) =>
    (colour: Colour, text: string): string =>
      hasColours && sink.isTerminal && !isJson ? `\u001b[${String(colours[colour])}m${text}\u001b[0m` : text;
  const paint = painter(stdout);
  const paintNote = painter(stderr);
  return {
    isJson,
    paint,
    get screen() {
      return stdout.isTerminal && !isJson ? createScreen(stdout) : undefined;
    },
    get columns() {
      return stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY;
    },
    get width() {
      return stdout.columns;
    },
    get signs() {
      return hasSigns && stdout.isTerminal ? drawn : typed;
    },
    line(text = '') {
      if (!isJson) stdout.write(`${text}\n`);
    },
    json(value) {
      if (isJson) stdout.write(`${printableJson(JSON.stringify(value, undefined, 2))}\n`);
    },
    jsonText(text) {
      if (isJson) stdout.write(`${printableJson(text)}\n`);
    },
    note(text) {
      stderr.write(`${paintNote('dim', printableLines(withoutUserinfo(text)))}\n`);
    },
    table(rows) {
      const short = rows.map((row) => row.map(withoutLongWords));
      if (!isJson) for (const row of aligned(short, stdout)) stdout.write(`${row}\n`);
    },
    error(given) {
      const error = withoutSecrets(given);
      const { code, message, next, problems = [] } = error;
      if (isJson) stdout.write(`${printableJson(JSON.stringify({ error }, undefined, 2))}\n`);
      else {
        for (const problem of problems) stderr.write(`${withoutLongWords(printable(problem))}\n`);
        const said = withoutLongWords(printableLines(message));
        stderr.write(`${paintNote('red', 'error')} ${paintNote('dim', code)}: ${said}\n`);
        if (next !== undefined) stderr.write(`${paintNote('dim', 'next:')} ${printableLines(next)}\n`);
      }
    },
  };
}

/** Moves up over what it wrote, and writes anew. No line is longer than the terminal is wide, or it would be two. */
function createScreen(stdout: Sink): Screen {
  let height = 0;
  return {
    show(lines) {
      const shown = lines.map((line) => `\u001b[2K${cutTo(line, stdout.columns - 1)}\n`).join('');
      stdout.write(
        `${height > 0 ? `\u001b[${String(height)}A` : ''}${shown}${lines.length < height ? '\u001b[J' : ''}`,
      );
      height = lines.length;
    },
    keep() {
      height = 0;
    },
  };
}

function cutTo(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  const plain = line.replaceAll(/\u001b\[\d+m/g, '');
  return `${plain.slice(0, Math.max(0, width - 1))}…`;
}

/** An error repeats what was typed, and that may hold a password. */
function withoutSecrets({ code, message, next, problems }: ShownError): ShownError {
  return {
    code,
    message: withoutUserinfo(message),
    next: next && withoutUserinfo(next),
    problems: problems?.map(withoutUserinfo),
  };
}

const gap = '  ';
const minLastWidth = 20;

/** Columns under each other; on a terminal the last one is cut to what is left of the width. */
function aligned(rows: readonly (readonly string[])[], { isTerminal, columns }: Sink): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  return rows.map((row) => {
    const last = row.length - 1;
    const before = row.slice(0, last).map((cell, i) => padded(cell, widths[i] ?? 0) + gap);
    const room = columns - before.reduce((sum, cell) => sum + widthOf(cell), 0);
    const cell = row[last] ?? '';
    const isCut = isTerminal && widthOf(cell) === cell.length && cell.length > Math.max(room, minLastWidth);
    return `${before.join('')}${isCut ? `${cell.slice(0, Math.max(room, minLastWidth) - 1)}…` : cell}`.trimEnd();
  });
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

function widthOf(text: string): number {
  return text.replaceAll(/\u001b\[\d+m/g, '').length;
}
