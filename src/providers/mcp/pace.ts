import type { Clock } from './options.js';

/** A rate limiter that allows a burst, then a fixed number per second. */
export interface Pace {
  /** Whether one more may pass now; counts it if so. */
  pass(): boolean;
  /** How long until one more may pass. */
  waitMs(): number;
}

export function createPace(clock: Clock, burst: number, perSecond: number): Pace {
  let left = burst;
  let at = clock.now();

  function refill(): void {
    const now = clock.now();
    // A clock that jumps back changes nothing.
    left = Math.min(burst, left + (Math.max(0, now - at) * perSecond) / 1000);
    at = now;
  }

  return {
    pass() {
      refill();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    waitMs() {
      refill();
      return left >= 1 ? 0 : Math.ceil(((1 - left) * 1000) / perSecond);
    },
  };
}
