/** Runs some work, or skips it and returns undefined. */
export type Pace = <T>(work: () => T) => T | undefined;

const rests = 4;

/** Looks of all commands together take at most a fifth of the time: while one lasts, nobody else is served. */
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
