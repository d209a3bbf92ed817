import type { Cancellation } from './cancellation.js';

/** Lets a fixed number through at once; the rest wait in order, up to a limit. */
export interface Semaphore {
  /** Resolves true when it is your turn, false when the queue is full or the caller left. */
  enter(caller: Cancellation): boolean | Promise<boolean>;
  leave(): void;
  /** Lets go on who waits, after it was held shut. */
  reopen(): void;
}

/** `isShut` holds everyone back for a while, such as while nobody reads the answers. */
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
