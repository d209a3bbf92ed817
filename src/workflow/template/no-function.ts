import { nearest, quote } from '../../kernel/index.js';

/** Of a word that nothing is called: what was meant most likely, or else all that there is. */
export function noFunction(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  const there = near === undefined ? `; there are ${known.join(', ')}.` : `. Did you mean ${near}?`;
  return `There is no function ${quote(word)}${there}`;
}
