export type Confidence = 'high' | 'medium' | 'low';

/** The inputs of a hit's confidence, each from 0 to 1. */
export interface Signs {
  /** The share of the query, weighted by rarity, that the tool covers. */
  readonly coverage: number;
  /** Its score divided by the best score. */
  readonly share: number;
  /** The next hit's score divided by its own. */
  readonly next: number;
}

export function confidenceOf({ coverage, share, next }: Signs): Confidence {
  if (coverage >= 0.6 && share >= 0.8 && (next <= 0.9 || coverage >= 0.85)) return 'high';
  return coverage >= 0.35 && share >= 0.5 ? 'medium' : 'low';
}
