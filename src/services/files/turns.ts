/** How long one call may block the process before others can run. */
const turnMs = 15;

/** Splits long work on the main thread, so that other calls can run. */
export function createTurns(now: () => number = () => performance.now()) {
  let begun = now();
  return {
    /** Undefined while time is left; otherwise await the result. */
    pause(): Promise<void> | undefined {
      if (now() - begun < turnMs) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          begun = now();
          resolve();
        });
      });
    },
  };
}
