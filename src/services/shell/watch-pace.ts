/** Runs the work, or skips it and returns undefined. */
export type Pace = <T>(work: () => T) => T | undefined;

const rests = 4;

/** Limits the checks of all commands together to a fifth of the time, because each one blocks all other calls. */
export function createPace(now: () => number): Pace {
  let nextAt = -Infinity;
  return (work) => {
    const from = now();
    if (from < nextAt) return undefined;
    const result = work();
    nextAt = now() + rests * (now() - from);
    return result;
  };
}
