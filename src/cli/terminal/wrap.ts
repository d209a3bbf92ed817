import { widthOf } from './text-width.js';

/** Maximum width of prose, even on wider terminals. */
export const longestLine = 100;

/** The width for prose; infinite without a terminal, so text is not wrapped. */
export function readable(columns: number): number {
  return Number.isFinite(columns) ? Math.min(columns, longestLine) : columns;
}

/** Wraps text between words. Keeps its line breaks, and indents wrapped list items. */
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
  for (const word of splitWords(rest, width)) {
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

/** Maximum indent as a share of the width, because it is repeated on every line. */
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

/** Commands to copy stay on one line. The pattern must not match sentences. */
const commands = /(?<=: )(?:tidegate|npm|npx|git) [^,]*[^,.]$/;
const quoted = /`[^`]+`/g;
const held = '\u0000';

function splitWords(text: string, width: number): readonly string[] {
  const hold = (part: string): string => part.replaceAll(' ', held);
  return text
    .replace(commands, hold)
    .replace(quoted, (part) => (widthOf(part) < width / 2 ? hold(part) : part))
    .split(' ')
    .map((word) => word.replaceAll(held, ' '));
}
