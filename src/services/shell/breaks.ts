import { setImmediate } from 'node:timers/promises';

/** A call of somebody else waits for many of these. */
const sliceMs = 4;

/** Call it often in long work: now and then it lets others be served. */
export function createBreaks(): () => Promise<void> {
  let until = performance.now() + sliceMs;
  const settled = Promise.resolve();
  return () => {
    if (performance.now() < until) return settled;
    return setImmediate().then(() => {
      until = performance.now() + sliceMs;
    });
  };
}
