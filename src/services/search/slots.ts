import { createShares } from '../../lib/shares.js';
import { ToolFailure } from '../../core/index.js';

/** Lets only so many searches run at a time, and one owner only so many of them. The others wait, but not for ever. */
export interface Slots {
  /** `owner`: see `Shares`. */
  use<T>(owner: string | undefined, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Gets what frees the place. */
type Start = (giveBack: () => void) => void;

/** The last place is for the operator. */
const reserved = 1;
const maxWaitingEach = 256;

export function createSlots(count: number, waitMs: number): Slots {
  const shares = createShares(count, reserved);
  /** The owner that was served last is the last one. */
  const waiting = new Map<string | undefined, Set<Start>>();

  const forget = (owner: string | undefined, start: Start) => {
    const own = waiting.get(owner);
    own?.delete(start);
    if (own?.size === 0) waiting.delete(owner);
  };
  const startNext = (): void => {
    for (const [owner, own] of waiting) {
      const [next] = own;
      const giveBack = next && shares.take(owner);
      if (typeof giveBack !== 'function') continue;
      waiting.delete(owner);
      waiting.set(owner, own);
      next?.(giveBack);
      // One place that comes free may be enough for two owners.
      return startNext();
    }
  };
  const wait = (owner: string | undefined, signal: AbortSignal): Promise<() => void> => {
    const own = waiting.get(owner) ?? new Set();
    if (own.size >= maxWaitingEach) throw tooMany();
    return new Promise((resolve, reject) => {
      const leave = () => {
        forget(owner, start);
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
      };
      const start: Start = (giveBack) => {
        leave();
        resolve(giveBack);
      };
      const giveUp = (error: Error) => {
        leave();
        reject(error);
      };
      const cancel = () => giveUp(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
      const timer = setTimeout(() => giveUp(tooMany()), waitMs);
      signal.addEventListener('abort', cancel, { once: true });
      waiting.set(owner, own.add(start));
    });
  };
  return {
    use: async (owner, work, signal) => {
      signal.throwIfAborted();
      const taken = shares.take(owner);
      const giveBack = typeof taken === 'string' ? await wait(owner, signal) : taken;
      try {
        return await work();
      } finally {
        giveBack();
        startNext();
      }
    },
  };
}

function tooMany(): ToolFailure {
  return new ToolFailure('bad_state', 'Too many searches are running, so this one did not start.', {
    reason: 'too_many_searches',
    suggestion: 'Wait for your other searches to end, or narrow them, then call again.',
    retryable: true,
  });
}
