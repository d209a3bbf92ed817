import { createFairQueue } from './fair-queue.js';

/** Lets only so many pieces of work run at a time, and one owner only so many of them. The others wait, but not for ever. */
export interface Slots {
  /** `owner`: see `Shares`. */
  use<T>(owner: string | undefined, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface SlotRules {
  readonly count: number;
  readonly waitMs: number;
  /** How much work of one owner may wait. */
  readonly waitingEach?: number;
  /** What whoever cannot wait, or has waited too long, is told. */
  readonly tooMany: () => Error;
}

/** The last place is for the operator. */
const reserved = 1;
const usualWaitingEach = 256;

export function createSlots({ count, waitMs, waitingEach = usualWaitingEach, tooMany }: SlotRules): Slots {
  const queue = createFairQueue(count, reserved);

  function place(owner: string | undefined, signal: AbortSignal | undefined): Promise<() => void> {
    if (queue.waitingOf(owner) >= waitingEach) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      let stop = (): void => undefined;
      const leave = queue.enter(owner, (giveBack) => {
        stop();
        resolve(giveBack);
      });
      if (leave === undefined) return;
      const giveUp = (error: Error): void => {
        stop();
        leave();
        reject(error);
      };
      const cancel = (): void =>
        giveUp(signal?.reason instanceof Error ? signal.reason : new Error('cancelled'));
      const timer = setTimeout(() => giveUp(tooMany()), waitMs);
      signal?.addEventListener('abort', cancel, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
    });
  }

  return {
    async use(owner, work, signal) {
      signal?.throwIfAborted();
      const giveBack = await place(owner, signal);
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}
