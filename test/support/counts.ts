/**
 * How many rounds a repeating test runs: the full number for `npm run prove`, a tenth of it (at least one)
 * everywhere else.
 */
export function count(full: number): number {
  return isFull ? full : Math.ceil(full / 10);
}

const isFull = process.env['TIDEGATE_COUNTS'] === 'full';
