import type { NeedTuning } from './need.js';
import type { RankTuning } from './rank.js';
import type { ViewTuning } from './view.js';

export type Tuning = ViewTuning & NeedTuning & RankTuning;

/** Found on sets of needs and tools of several kinds; all are flat around these values. */
const found: Tuning = {
  k1: 1.4,
  fields: {
    server: { weight: 1.5, b: 0.3 },
    name: { weight: 3, b: 0.3 },
    title: { weight: 1.5, b: 0.3 },
    lead: { weight: 1.9, b: 0.6 },
    description: { weight: 1.2, b: 0.6 },
    parameters: { weight: 0.7, b: 0.6 },
    parameterTexts: { weight: 0.4, b: 0.7 },
    values: { weight: 0.3, b: 0.7 },
    hints: { weight: 3, b: 0 },
  },
  synonyms: 1,
  numbers: 0.3,
  joined: 1,
  clauses: 0.5,
  coverage: 0.25,
};

export function tuningOf(changes: Partial<Tuning> = {}): Tuning {
  return { ...found, ...changes };
}
