import { createShares } from './shares.js';

/** Receives a function that releases its places. */
type Start = (giveBack: () => void) => void;

interface Waiter {
  readonly places: number;
  readonly start: Start;
}

/** Starts work while places are free. The rest waits, and owners take turns. */
export interface FairQueue {
  /** Starts now, or returns a function that leaves the queue; it returns true if the work had not started. */
  enter(owner: string | undefined, start: Start, places?: number): (() => boolean) | undefined;
  waitingOf(owner: string | undefined): number;
}

/** See `Shares` for places and owners. */
export function createFairQueue(total: number, reserve: number): FairQueue {
  const shares = createShares(total, reserve);
  /** The owner served last is at the end. */
  const waiting = new Map<string | undefined, Set<Waiter>>();
  let isStarting = false;

  function forget(owner: string | undefined, waiter: Waiter): boolean {
    const own = waiting.get(owner);
    const wasThere = own?.delete(waiter) ?? false;
    if (own?.size === 0) waiting.delete(owner);
    return wasThere;
  }

  function take(owner: string | undefined, places: number): (() => void) | undefined {
    const taken = shares.take(owner, places);
    if (typeof taken === 'string') return undefined;
    return () => {
      taken();
      startSoon();
    };
  }

  // Deferred, to avoid recursion: freeing several places at once may also end work that waits for them.
  function startSoon(): void {
    if (isStarting || waiting.size === 0) return;
    isStarting = true;
    queueMicrotask(() => {
      isStarting = false;
      while (startOne());
    });
  }

  function startOne(): boolean {
    for (const [owner, own] of waiting) {
      const [next] = own;
      const giveBack = next && take(owner, next.places);
      if (next === undefined || giveBack === undefined) continue;
      waiting.delete(owner);
      waiting.set(owner, own);
      forget(owner, next);
      next.start(giveBack);
      return true;
    }
    return false;
  }

  return {
    enter(owner, start, places = 1) {
      const giveBack = waiting.has(owner) ? undefined : take(owner, places);
      if (giveBack !== undefined) {
        start(giveBack);
        return undefined;
      }
      const waiter = { places, start };
      waiting.set(owner, (waiting.get(owner) ?? new Set()).add(waiter));
      return () => {
        const wasWaiting = forget(owner, waiter);
        // Smaller work behind it may fit now.
        if (wasWaiting) startSoon();
        return wasWaiting;
      };
    },
    waitingOf: (owner) => waiting.get(owner)?.size ?? 0,
  };
}
