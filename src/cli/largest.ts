/** The largest of any number of numbers. They cannot all be handed to Math.max: a call takes some 100,000 at most. */
export function largest(values: Iterable<number>, least = 0): number {
  let found = least;
  for (const value of values) if (value > found) found = value;
  return found;
}
