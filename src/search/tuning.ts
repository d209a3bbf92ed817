import type { LexiconTuning } from './language.js';
import type { MembersTuning } from './members.js';
import type { NeedTuning } from './need.js';
import type { RankTuning } from './rank.js';
import type { ViewTuning } from './view.js';

export type Tuning = MembersTuning & ViewTuning & NeedTuning & RankTuning & LexiconTuning;

/** Tuned on several sets of queries and tools; results hardly change around these values. */
const found: Tuning = {
  k1: 2,
  fields: {
    server: { weight: 2.5, b: 0.3 },
    name: { weight: 3.4, b: 0.45 },
    title: { weight: 1.5, b: 0.3 },
    lead: { weight: 1.7, b: 0.6 },
    description: { weight: 0.9, b: 0.6 },
    parameters: { weight: 0.7, b: 0.6 },
    parameterTexts: { weight: 0.4, b: 0.7 },
    values: { weight: 0.4, b: 0.7 },
    hints: { weight: 3, b: 0 },
  },
  same: 0.4,
  toTopic: 0.4,
  fromTopic: 0.15,
  siblings: 0,
  far: 0.5,
  least: 0.2,
  numbers: 0.3,
  joined: 0.35,
  kinds: 0.2,
  clauses: 1,
  coverage: 0.35,
  leaders: 0.15,
  misfit: 0.8,
};

export function tuningOf(changes: Partial<Tuning> = {}): Tuning {
  return { ...found, ...changes };
}
