/** Lets only so many run at a time; the others wait their turn, or until they are no longer wanted. */
export interface Slots {
  use<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createSlots(count: number): Slots {
  const waiting = new Set<() => void>();
  let taken = 0;

  const enter = (signal: AbortSignal): Promise<void> => {
    if (taken < count) {
      taken += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(start);
        reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
      };
      waiting.add(start);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  };
  const leave = () => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else {
      waiting.delete(next);
      next();
    }
  };
  return {
    use: async (work, signal) => {
      signal.throwIfAborted();
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
