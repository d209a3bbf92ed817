import { printable } from '../config/index.js';

const plain = /^[A-Za-z0-9_./@:+-]+$/;

/** A path as a word of a command that a person may paste: harmless to the terminal, and one word to the shell. */
export function shellPath(path: string): string {
  const text = printable(path);
  return plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
