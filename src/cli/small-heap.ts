import { setFlagsFromString } from 'node:v8';

/**
 * Keeps a long-running gate small. It carries text and holds little of it, but V8 lets the young generation grow to
 * many times what is alive. See docs/decisions/0011 for what was measured.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--optimize-for-size');
}
