import type { Ripgrep } from './ripgrep.js';
import type { Roots } from './roots.js';

/** Inputs shared by all searches. */
export interface SearchContext {
  readonly roots: Roots;
  readonly ripgrep: Ripgrep;
  readonly limits: SearchLimits;
  /** The clock that dates files. */
  readonly now: () => number;
}

export interface SearchLimits {
  /** The time limit of a search; it then returns what it has. */
  readonly timeMs: number;
  /** How long to continue after all wanted results are there, to sort them and count the rest. */
  readonly countingMs: number;
}
