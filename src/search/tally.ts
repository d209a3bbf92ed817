// Counts each term per field of the current tool. One table is reused for all tools, because a map each would be slower
// than the counting.
const bits = 3;
const mostCounted = 7;

export interface Tally {
  add(term: number, field: number): void;
  /** Appends each term with its counts to `cells`, and resets. */
  drainInto(cells: number[]): void;
}

export function createTally(): Tally {
  const counts: number[] = [];
  let terms: number[] = [];
  return {
    add(term, field) {
      while (counts.length <= term) counts.push(0);
      const packed = counts[term] ?? 0;
      if (packed === 0) terms.push(term);
      if (countIn(packed, field) < mostCounted) counts[term] = packed + (1 << (field * bits));
    },
    drainInto(cells) {
      for (const term of terms) {
        cells.push(term, counts[term] ?? 0);
        counts[term] = 0;
      }
      terms = [];
    },
  };
}

/** The count of a term in a field, at most seven. */
export function countIn(packed: number, field: number): number {
  return (packed >>> (field * bits)) & mostCounted;
}
