import { printable, printableJson, printableLines, withoutLongWords } from '../../config/index.js';
import { type TableLook, tableLines } from './table.js';
import { cutTo } from './text-width.js';
import { withoutUserinfo } from './without-userinfo.js';
import { readable, wrapped } from './wrap.js';

/** An output stream, and whether it is a terminal. */
export interface Sink {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Output of commands: results on stdout, notes and errors on stderr; with JSON, the result as JSON. */
export interface Output {
  readonly isJson: boolean;
  /** The width of the terminal; infinite without one. */
  readonly columns: number;
  /** The width of the terminal, or the usual width without one. */
  readonly width: number;
  readonly signs: Signs;
  /** A line of the result. Nothing in JSON mode. */
  line(text?: string): void;
  /** Prose of the result, wrapped to the terminal. Nothing in JSON mode. */
  say(text: string, colour?: Colour): void;
  /** The whole result. Only in JSON mode. */
  json(value: unknown): void;
  /** The whole result as JSON text that must not be re-serialized. */
  jsonText(text: string): void;
  /** A note for the user, on stderr. */
  note(text: string): void;
  /** A table. By default, a last cell that is too long for the terminal is cut. */
  table(rows: readonly (readonly string[])[], long?: TableLook['long']): void;
  error(error: ShownError): void;
  /** Lines that are redrawn in place, on a terminal; undefined elsewhere. */
  readonly screen: Screen | undefined;
  paint(colour: Colour, text: string): string;
}

/** The last lines of a terminal, redrawn while something is running. */
export interface Screen {
  show(lines: readonly string[]): void;
  /** Leaves the last lines on the screen. */
  keep(): void;
}

/** Symbols for states, trees and charts. */
export interface Signs {
  readonly yes: string;
  readonly no: string;
  readonly branch: string;
  readonly last: string;
  readonly bar: string;
  /** One character of a bar in a chart. */
  readonly fill: string;
  /** The state of a step. */
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
/** For terminals without these characters, files and pipes. */
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
  /** One line per problem. */
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
      return columnsOf(stdout);
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
    say(text, colour) {
      if (!isJson)
        for (const line of prose(text, stdout))
          stdout.write(`${colour === undefined ? line : paint(colour, line)}\n`);
    },
    json(value) {
      if (isJson) stdout.write(`${printableJson(JSON.stringify(value, undefined, 2))}\n`);
    },
    jsonText(text) {
      if (isJson) stdout.write(`${printableJson(text)}\n`);
    },
    note(text) {
      for (const line of prose(printableLines(withoutUserinfo(text)), stderr)) stderr.write(`${line}\n`);
    },
    table(rows, long = 'cut') {
      const columns = columnsOf(stdout);
      const short = rows.map((row) => row.map(shortCell));
      if (!isJson) for (const line of tableLines(short, { columns, long })) stdout.write(`${line}\n`);
    },
    error(given) {
      const error = withoutSecrets(given);
      const { code, message, next, problems = [] } = error;
      if (isJson) stdout.write(`${printableJson(JSON.stringify({ error }, undefined, 2))}\n`);
      else {
        const tell = (text: string): readonly string[] => prose(withoutLongWords(text), stderr);
        const begin = ([first = '', ...rest]: readonly string[], head: string, colour: Colour): void =>
          stderr.write(`${[first.replace(head, paintNote(colour, head)), ...rest].join('\n')}\n`);
        for (const problem of problems) stderr.write(`${tell(printable(problem)).join('\n')}\n`);
        begin(tell(`error ${code}: ${printableLines(message)}`), 'error', 'red');
        if (next !== undefined) begin(prose(`next: ${printableLines(next)}`, stderr), 'next:', 'green');
      }
    },
  };
}

/** Resets the color that is lost when a cell is cut. */
function shortCell(cell: string): string {
  const short = withoutLongWords(cell);
  return short !== cell && cell.includes('\u001b') ? `${short}\u001b[0m` : short;
}

function columnsOf({ isTerminal, columns }: Sink): number {
  return isTerminal ? columns : Number.POSITIVE_INFINITY;
}

/** Indents continuation lines, to tell them from the next note. */
function prose(text: string, sink: Sink): readonly string[] {
  return wrapped(text, readable(columnsOf(sink)), '  ');
}

/** Moves the cursor up and redraws. Lines are cut to the terminal width, because a wrapped line would take two rows. */
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

/** Errors repeat input that may contain a password. */
function withoutSecrets({ code, message, next, problems }: ShownError): ShownError {
  return {
    code,
    message: withoutUserinfo(message),
    next: next && withoutUserinfo(next),
    problems: problems?.map(withoutUserinfo),
  };
}
