import { createCancellation } from '../../lib/cancellation.js';
import { createSemaphore } from '../../lib/semaphore.js';

/** Run at most `most` tasks at a time; the others wait in order, with a time limit. */
export function createSlots(most: number, patienceMs: number): <T>(work: () => Promise<T>) => Promise<T> {
  // Every one of them gives up in time, so the queue needs no other limit.
  const semaphore = createSemaphore(most, Number.POSITIVE_INFINITY);
  const enter = async (): Promise<boolean> => {
    const patience = createCancellation();
    const entering = semaphore.enter(patience);
    if (typeof entering === 'boolean') return entering;
    const timer = setTimeout(() => patience.cancel(), patienceMs);
    return entering.finally(() => clearTimeout(timer));
  };
  return async (work) => {
    if (!(await enter()))
      throw new Error(`too many tasks are waiting; gave up after ${patienceMs / 1000} seconds`);
    try {
      return await work();
    } finally {
      semaphore.leave();
    }
  };
}
