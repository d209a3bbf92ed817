import { createFairQueue } from './fair-queue.js';

/** Limits how many pieces of work run at a time, in total and per owner. The rest waits, up to a time limit. */
export interface Slots {
  /** `owner`: see `Shares`. */
  use<T>(owner: string | undefined, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface SlotRules {
  readonly count: number;
  readonly waitMs: number;
  /** How many pieces of work of one owner may wait. */
  readonly waitingEach?: number;
  /** The error for work that cannot wait, or waited too long. */
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
