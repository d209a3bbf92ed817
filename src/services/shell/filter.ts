import type { LineFilter } from './capture.js';

/**
 * Keeps lines that contain one of the texts between the bars. Not a regular expression: an agent could write one that
 * blocks the gateway forever, and most filters only need the bar.
 */
export function createFilter(filter: string | undefined): LineFilter | undefined {
  const wanted = (filter ?? '').split('|').filter((text) => text !== '');
  if (wanted.length === 0) return undefined;
  return (line) => wanted.some((text) => line.includes(text));
}
