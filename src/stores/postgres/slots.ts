/** Run at most `most` tasks at a time; the others wait in order, with a time limit. */
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
        reject(new Error(`too many tasks are waiting; gave up after ${patienceMs / 1000} seconds`));
      }, patienceMs);
      queue.push(go);
    });
  return async (work) => {
    if (taken >= most) await turn();
    else taken += 1;
    try {
      return await work();
    } finally {
      // Pass the place on directly, so that no new caller can take it first.
      const next = queue.shift();
      if (next === undefined) taken -= 1;
      else next();
    }
  };
}
