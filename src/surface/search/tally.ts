// How often each term is in each field of the tool that is being read. One table serves all tools: a map for each would
// cost more than what is counted in it.
const bits = 3;
const mostCounted = 7;

export interface Tally {
  add(term: number, field: number): void;
  /** Puts what was counted behind `cells`, a term and its counts each, and begins anew. */
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

/** How often, at most seven, a term is in a field. */
export function countIn(packed: number, field: number): number {
  return (packed >>> (field * bits)) & mostCounted;
}
