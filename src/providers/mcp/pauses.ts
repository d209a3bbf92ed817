import type { Clock } from './options.js';

/** The backoff between starts, which grows while a server keeps failing. */
export interface Pauses {
  /** Waits until the next start is due or the signal aborts. */
  wait(signal: AbortSignal): Promise<void>;
  left(): number;
  failed(): void;
  succeeded(): void;
  /** A running server has ended. After a long healthy run, the pauses are short again. */
  ended(): void;
  /** The cause of the failure is gone, so the next start is due now. */
  forget(): void;
}

const firstMs = 250;
const longestMs = 30_000;
const healthyMs = 60_000;

export function createPauses(clock: Clock, random: () => number = Math.random): Pauses {
  let failures = 0;
  let notBefore = 0;
  let runningSince = 0;
  const left = (): number => Math.max(0, notBefore - clock.now());
  return {
    left,
    wait(signal) {
      const ms = left();
      if (ms === 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = (): void => {
          stop();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const stop = clock.after(ms, done);
        signal.addEventListener('abort', done, { once: true });
      });
    },
    failed() {
      const longest = Math.min(firstMs * 2 ** failures, longestMs);
      failures = Math.min(failures + 1, 16);
      // Jitter, so that servers that failed together do not all restart at the same moment.
      notBefore = clock.now() + longest * (0.75 + random() / 4);
    },
    succeeded() {
      runningSince = clock.now();
    },
    ended() {
      if (clock.now() - runningSince >= healthyMs) failures = 0;
    },
    forget() {
      failures = 0;
      notBefore = 0;
    },
  };
}
