/** Runs `work` on every item, `most` at a time. Results keep the order of the items. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const waiting = items.entries();
  const results: R[] = [];
  const lane = async (): Promise<void> => {
    for (const [at, item] of waiting) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane));
  return results;
}
