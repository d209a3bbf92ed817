import { widthOf } from './text-width.js';

/** Lines that are read, and not looked at, are no longer than this, however wide the terminal is. */
export const longestLine = 100;

/** How wide text is that is read in so many columns; without a terminal it is not broken at all. */
export function readable(columns: number): number {
  return Number.isFinite(columns) ? Math.min(columns, longestLine) : columns;
}

/** The text in lines of at most `width`, broken between words only; its own line breaks stay, list items hang. */
export function wrapped(text: string, width: number, more = ''): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width, more));
}

function wrapLine(line: string, width: number, more: string): readonly string[] {
  if (widthOf(line) <= width) return [line];
  const hang = /^\s*(?:[-*] |\d+\. )?/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = hang;
  let isFresh = true;
  for (const word of wordsOf(line.slice(hang.length), width)) {
    if (!isFresh && widthOf(current) + 1 + widthOf(word) > width) {
      lines.push(current);
      current = `${' '.repeat(hang.length)}${more}`;
      isFresh = true;
    }
    current += isFresh ? word : ` ${word}`;
    isFresh = false;
  }
  return [...lines, current];
}

/** What can be copied into a shell stays on one line, so that nothing but the terminal itself breaks it. */
const commands = /(?<=: )(?:tidegate|npm|npx|git) .+$/;
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
