/** Lets a fixed number through at once; the rest wait in order, up to a limit. */
export interface Turnstile {
  /** Resolves true when it is your turn, false when the queue is full or the signal aborts. */
  enter(signal: AbortSignal): boolean | Promise<boolean>;
  leave(): void;
}

export function createTurnstile(atOnce: number, waiting: number): Turnstile {
  let inside = 0;
  const queue: ((admitted: boolean) => void)[] = [];
  return {
    enter(signal) {
      if (inside < atOnce) {
        inside += 1;
        return true;
      }
      if (queue.length >= waiting) return false;
      return new Promise<boolean>((resolve) => {
        const take = (admitted: boolean): void => {
          signal.removeEventListener('abort', giveUp);
          resolve(admitted);
        };
        const giveUp = (): void => {
          const at = queue.indexOf(take);
          if (at >= 0) queue.splice(at, 1);
          resolve(false);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        queue.push(take);
      });
    },
    leave() {
      const next = queue.shift();
      if (next) next(true);
      else inside -= 1;
    },
  };
}
