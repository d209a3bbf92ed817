export type Confidence = 'high' | 'medium' | 'low';

/** What a hit's confidence comes from, each from 0 to 1. */
export interface Signs {
  /** The share of what was asked, by rarity, that the tool has. */
  readonly coverage: number;
  /** Its score by the best score. */
  readonly share: number;
  /** The next hit's score by its own. */
  readonly next: number;
}

export function confidenceOf({ coverage, share, next }: Signs): Confidence {
  if (coverage >= 0.6 && share >= 0.8 && (next <= 0.9 || coverage >= 0.85)) return 'high';
  return coverage >= 0.35 && share >= 0.5 ? 'medium' : 'low';
}
