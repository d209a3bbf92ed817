import type { LineFilter } from './capture.js';

/**
 * Lines that hold one of the texts between the bars. Not a regular expression: one that an agent wrote could keep
 * the gate busy for ever, and a bar is what nearly all of them are used for.
 */
export function createFilter(filter: string | undefined): LineFilter | undefined {
  const wanted = (filter ?? '').split('|').filter((text) => text !== '');
  if (wanted.length === 0) return undefined;
  return (line) => wanted.some((text) => line.includes(text));
}
