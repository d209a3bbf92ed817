import type { Cancellation } from './cancellation.js';

/** Admits a fixed number at once; the rest wait in order, up to a limit. */
export interface Semaphore {
  /** Resolves to true when the caller is admitted, false if the queue is full or the caller left. */
  enter(caller: Cancellation): boolean | Promise<boolean>;
  leave(): void;
  /** Admit waiting callers again after it was shut. */
  reopen(): void;
}

/** `isShut` holds all callers for a while, for example while the client does not read. */
export function createSemaphore(
  atOnce: number,
  waiting: number,
  isShut: () => boolean = () => false,
): Semaphore {
  let inside = 0;
  const queue: ((admitted: boolean) => void)[] = [];

  function reopen(): void {
    while (queue.length > 0 && inside < atOnce && !isShut()) {
      inside += 1;
      queue.shift()?.(true);
    }
  }

  return {
    enter(caller) {
      if (caller.isCancelled) return false;
      if (queue.length === 0 && inside < atOnce && !isShut()) {
        inside += 1;
        return true;
      }
      if (queue.length >= waiting) return false;
      return new Promise<boolean>((resolve) => {
        const take = (admitted: boolean): void => {
          stop();
          resolve(admitted);
        };
        const giveUp = (): void => {
          const at = queue.indexOf(take);
          if (at >= 0) queue.splice(at, 1);
          resolve(false);
        };
        const stop = caller.onCancel(giveUp);
        queue.push(take);
      });
    },
    leave() {
      inside -= 1;
      reopen();
    },
    reopen,
  };
}
