import { printable, printableJson, printableLines, withoutLongWords } from '../config/index.js';
import { type TableLook, tableLines } from './table.js';
import { cutTo } from './text-width.js';
import { withoutUserinfo } from './without-userinfo.js';
import { readable, wrapped } from './wrap.js';

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
  /** Sentences of the result, broken between words where the terminal is too narrow. */
  say(text: string, colour?: Colour): void;
  /** The whole result. Nothing but in JSON mode. */
  json(value: unknown): void;
  /** JSON that is text already, so that nothing of it is written anew. */
  jsonText(text: string): void;
  /** A remark for the person at the terminal, on stderr. */
  note(text: string): void;
  /** Columns. A last cell that is too long for the terminal is cut, unless it is said otherwise. */
  table(rows: readonly (readonly string[])[], long?: TableLook['long']): void;
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

/** What is cut loses the end of its colour, too. */
function shortCell(cell: string): string {
  const short = withoutLongWords(cell);
  return short !== cell && cell.includes('\u001b') ? `${short}\u001b[0m` : short;
}

function columnsOf({ isTerminal, columns }: Sink): number {
  return isTerminal ? columns : Number.POSITIVE_INFINITY;
}

/** What goes on below is set in, so that it can be told from the next one. */
function prose(text: string, sink: Sink): readonly string[] {
  return wrapped(text, readable(columnsOf(sink)), '  ');
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

/** An error repeats what was typed, and that may hold a password. */
function withoutSecrets({ code, message, next, problems }: ShownError): ShownError {
  return {
    code,
    message: withoutUserinfo(message),
    next: next && withoutUserinfo(next),
    problems: problems?.map(withoutUserinfo),
  };
}
