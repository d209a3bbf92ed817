import { printable } from './printable.js';

const plain = /^[A-Za-z0-9_./@:+-]+$/;

/** Quotes one word of a command that users may paste: safe to print, and a single word to the shell. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return plain.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command line that can be pasted into a shell. */
export function commandLine(...words: readonly string[]): string {
  return ['tidegate', ...words.map(shellWord)].join(' ');
}
