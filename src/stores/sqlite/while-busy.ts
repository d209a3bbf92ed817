import { isBusy } from './failures.js';

const patienceMs = 30_000;
const longestPauseMs = 12;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Retry the work while another process holds the lock. Blocks the thread, so use it only in the writer. The
 * pauses are random, to avoid repeated collisions, and short, to be fair.
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
