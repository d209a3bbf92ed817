/** Work of one call may keep the process for so long before others get their turn. */
const turnMs = 15;

/** Cuts long work on the main thread into turns. */
export function createTurns(now: () => number = () => performance.now()) {
  let begun = now();
  return {
    /** Undefined while the turn lasts; await what it returns otherwise. */
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
