/** Like `Math.max`, which fails with more than about 100,000 arguments. */
export function largest(values: Iterable<number>, least = 0): number {
  let found = least;
  for (const value of values) if (value > found) found = value;
  return found;
}
