import { setImmediate } from 'node:timers/promises';

/** Calls from other sessions may wait for many of these slices. */
const sliceMs = 4;

/** Call the returned function often during long work: it regularly yields so that other calls are served. */
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
