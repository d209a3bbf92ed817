import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';

/** For an unknown function: the closest match, or else all functions. */
export function noFunction(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  const there = near === undefined ? `. Available: ${known.join(', ')}.` : `. Did you mean ${near}?`;
  return `Unknown function ${quote(word)}${there}`;
}
