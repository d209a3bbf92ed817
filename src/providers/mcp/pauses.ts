import type { Clock } from './options.js';

/** The pauses between starts: they grow while a server keeps failing. */
export interface Pauses {
  /** Waits until the next start is due, or until the signal. */
  wait(signal: AbortSignal): Promise<void>;
  left(): number;
  failed(): void;
  succeeded(): void;
  /** A server that ran has ended; after a long healthy run the pauses are short again. */
  ended(): void;
  /** What made it fail is gone: the next start is due now. */
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
      // Servers that fell together should not all come back in the same instant.
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
