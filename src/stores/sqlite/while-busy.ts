import { isBusy } from './failures.js';

const patienceMs = 30_000;
const longestPauseMs = 12;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Does the work again while another process is in the way. Blocks its thread: for the writer's only. Pauses are drawn by
 * lot, so that two who met do not meet again, and short, so that nobody is passed over for long.
 */
export function whileBusy<T>(work: () => T, patience = patienceMs): T {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    Atomics.wait(sleeper, 0, 0, 0.2 + Math.random() * longestPauseMs);
  }
}
