/** Runs `work` on every item, `atOnce` at a time; results keep the input order. */
export async function inTurns<T, R>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const waiting = [...all.entries()];
  const results: R[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, lane));
  return results;
}
