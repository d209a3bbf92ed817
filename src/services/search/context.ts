import type { Ripgrep } from './ripgrep.js';
import type { Roots } from './roots.js';

/** Inputs shared by all searches. */
export interface SearchContext {
  readonly roots: Roots;
  readonly ripgrep: Ripgrep;
  readonly limits: SearchLimits;
  /** The clock by which files are dated. */
  readonly now: () => number;
}

export interface SearchLimits {
  /** How long a search may take; it then answers with what it has. */
  readonly timeMs: number;
  /** How long it goes on after it has all that was asked for, to put it in order and to count the rest. */
  readonly countingMs: number;
}
