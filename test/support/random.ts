/** Chance that can be repeated: the same seed gives the same run. */
export interface Random {
  readonly seed: number;
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** From 0 up to, but not including, the limit. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  chance(probability: number): boolean;
}

/** Seeded with `TIDEGATE_SEED`, or differently each time; whoever uses it prints the seed. */
export function createRandom(
  seed = Number(process.env['TIDEGATE_SEED'] ?? Date.now() % 0x1_0000_0000),
): Random {
  let state = seed >>> 0;
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    next,
    below,
    pick<T>(from: readonly T[]): T {
      const chosen = from[below(from.length)];
      if (chosen === undefined) throw new Error('nothing to pick from');
      return chosen;
    },
    chance: (probability) => next() < probability,
  };
}
