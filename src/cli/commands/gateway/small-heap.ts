import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap of a long-running gateway small. It holds little live data, but V8 lets the young generation grow to many
 * times that size. See docs/decisions/0011 for measurements.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--optimize-for-size');
}
