import { widthOf } from './text-width.js';

/** Lines that are read, and not looked at, are no longer than this, however wide the terminal is. */
export const longestLine = 100;

/** How wide text is that is read in so many columns; without a terminal it is not broken at all. */
export function readable(columns: number): number {
  return Number.isFinite(columns) ? Math.min(columns, longestLine) : columns;
}

/** The text in lines of at most `width`, broken between words only; its own line breaks stay, list items hang. */
export function wrapped(text: string, width: number, more = ''): readonly string[] {
  const lines = text.split('\n');
  return Number.isFinite(width) ? lines.flatMap((line) => wrapLine(line, width, more)) : lines;
}

function wrapLine(line: string, width: number, more: string): readonly string[] {
  if (widthOf(line, width) <= width) return [line];
  const { start, rest, hang } = hangOf(line, width);
  const lines: string[] = [];
  let current = start;
  let used = widthOf(start);
  let isFresh = true;
  for (const word of wordsOf(rest, width)) {
    const own = widthOf(word);
    if (!isFresh && used + 1 + own > width) {
      lines.push(current);
      current = `${hang}${more}`;
      used = widthOf(current);
      isFresh = true;
    }
    current += isFresh ? word : ` ${word}`;
    used += isFresh ? own : own + 1;
    isFresh = false;
  }
  return [...lines, current];
}

/** Of the width: what hangs is repeated on every line, and an indent may be longer than the text that follows it. */
const hangShare = 0.5;

interface Hang {
  readonly start: string;
  readonly rest: string;
  readonly hang: string;
}

function hangOf(line: string, width: number): Hang {
  const [whole = '', indent = '', sign = ''] = /^(\s*)([-*] |\d{1,9}\. )?/.exec(line) ?? [];
  const most = Math.max(0, Math.floor(width * hangShare));
  const start = indent.slice(0, most) + sign;
  return { start, rest: line.slice(whole.length), hang: ' '.repeat(Math.min(start.length, most)) };
}

/** What can be copied into a shell stays on one line, so that nothing but the terminal itself breaks it. No sentence does. */
const commands = /(?<=: )(?:tidegate|npm|npx|git) [^,]*[^,.]$/;
const quoted = /`[^`]+`/g;
const held = '\u0000';

function wordsOf(text: string, width: number): readonly string[] {
  const hold = (part: string): string => part.replaceAll(' ', held);
  return text
    .replace(commands, hold)
    .replace(quoted, (part) => (widthOf(part) < width / 2 ? hold(part) : part))
    .split(' ')
    .map((word) => word.replaceAll(held, ' '));
}
