import type { Clock } from './options.js';

/** One timer for many deadlines: it fires at the earliest one. */
export interface DeadlineTimer {
  arm(deadline: number): void;
  stop(): void;
}

export function createDeadlineTimer(clock: Clock, onDue: () => void): DeadlineTimer {
  let stopTimer: (() => void) | undefined;
  let at = Number.POSITIVE_INFINITY;

  function stop(): void {
    stopTimer?.();
    stopTimer = undefined;
    at = Number.POSITIVE_INFINITY;
  }

  return {
    arm(deadline) {
      if (deadline >= at) return;
      stopTimer?.();
      at = deadline;
      const fire = (): void => {
        at = Number.POSITIVE_INFINITY;
        stopTimer = undefined;
        onDue();
      };
      stopTimer = clock.after(Math.max(0, deadline - clock.now()), fire, true);
    },
    stop,
  };
}
