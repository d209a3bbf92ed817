/** Lets so many at a time through; the others wait for their turn, but not for ever. */
export function createSlots(most: number, patienceMs: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let taken = 0;
  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1);
        reject(new Error(`too many wait, ${patienceMs / 1000} seconds already`));
      }, patienceMs);
      queue.push(go);
    });
  return async (work) => {
    if (taken >= most) await turn();
    else taken += 1;
    try {
      return await work();
    } finally {
      // The place is handed on, not given back: nobody can come in between.
      const next = queue.shift();
      if (next === undefined) taken -= 1;
      else next();
    }
  };
}
