import type { Actions } from './actions.js';
import type { Asked, TermGroup } from './need.js';
import type { View } from './view.js';

export interface RankTuning {
  /** The weight of the best clause compared to the whole query. */
  readonly clauses: number;
  readonly coverage: number;
  /** Bonus for the best tool of a clause, so that each clause gets a result. */
  readonly leaders: number;
  /** The factor for a tool whose action differs from the wanted one. */
  readonly misfit: number;
}

export interface Ranking {
  /** One score per tool of the view; 0 if nothing matches. */
  readonly scores: Float64Array;
  /** The share of the query, weighted by rarity, that each tool covers. */
  readonly coverage: Float64Array;
}

/** The matching tools of one group with their gains. */
interface Gains {
  readonly docs: Uint32Array;
  readonly best: Float64Array;
  readonly had: Float64Array;
}

/** Scores every tool of a view for a query. */
export function rank(asked: Asked, view: View, tuning: RankTuning): Ranking {
  const { size } = view;
  const whole = new Float64Array(size);
  const coverage = new Float64Array(size);
  const parts = Array.from({ length: asked.clauses > 1 ? asked.clauses : 0 }, () => new Float64Array(size));
  const gains: Gains = {
    docs: new Uint32Array(size),
    best: new Float64Array(size),
    had: new Float64Array(size),
  };
  let wanted = 0;
  for (const group of asked.groups) {
    const touched = gainOf(group, view, gains);
    const rarity = group.weight * rarityOf(group, view);
    wanted += rarity;
    for (const clause of group.clauses) addGains(parts[clause], gains, touched, group.weight);
    addGains(whole, gains, touched, group.weight);
    settle(coverage, gains, touched, rarity);
  }
  // A word that no tool has is the rarest of all. It does not change the order, but lowers the coverage of every tool.
  const asMuch = wanted + asked.unknown * Math.log(2 * size + 2);
  for (let doc = 0; doc < size && wanted > 0; doc += 1) {
    const had = coverage[doc] ?? 0;
    const fits = fitOf(asked.actions, view.actions[doc] ?? 0, tuning);
    whole[doc] = (whole[doc] ?? 0) * (1 + (tuning.coverage * had) / wanted) * fits;
    coverage[doc] = had / asMuch;
  }
  pool(whole, parts, tuning);
  return { scores: whole, coverage };
}

/** Lowers the score of tools with a different action. */
function fitOf(wanted: Actions, action: Actions, { misfit }: RankTuning): number {
  return wanted !== 0 && action !== 0 && (wanted & action) === 0 ? misfit : 1;
}

/** The best match of each tool in a group, so that many synonyms in one tool do not add up. */
function gainOf(group: TermGroup, view: View, { docs, best, had }: Gains): number {
  let touched = 0;
  for (const { term, weight } of group.members) {
    const rarity = weight * view.rarityOf(term);
    const end = view.offsets[term + 1] ?? 0;
    for (let at = view.offsets[term] ?? 0; at < end; at += 1) {
      const doc = view.docs[at] ?? 0;
      const gain = rarity * (view.impacts[at] ?? 0);
      const before = best[doc] ?? 0;
      if (before === 0) {
        docs[touched] = doc;
        touched += 1;
        had[doc] = weight;
      }
      if (gain > before) best[doc] = gain;
    }
  }
  return touched;
}

/** The first member is the strongest: the word itself, if a tool has it. */
const rarityOf = ({ members: [first] }: TermGroup, view: View): number =>
  first === undefined ? 0 : view.rarityOf(first.term);

function addGains(
  sums: Float64Array | undefined,
  { docs, best }: Gains,
  touched: number,
  weight: number,
): void {
  if (sums === undefined) return;
  for (let at = 0; at < touched; at += 1) {
    const doc = docs[at] ?? 0;
    sums[doc] = (sums[doc] ?? 0) + weight * (best[doc] ?? 0);
  }
}

/** Collects the gains and clears the table for the next group. */
function settle(coverage: Float64Array, { docs, best, had }: Gains, touched: number, rarity: number): void {
  for (let at = 0; at < touched; at += 1) {
    const doc = docs[at] ?? 0;
    coverage[doc] = (coverage[doc] ?? 0) + rarity * (had[doc] ?? 0);
    best[doc] = 0;
  }
}

/** Adds the score of the best clause to each tool. */
function pool(total: Float64Array, parts: readonly Float64Array[], tuning: RankTuning): void {
  const top = total[leaderOf(total, total)] ?? 0;
  if (parts.length < 2 || top === 0) return;
  const best = new Float64Array(total.length);
  for (const scores of parts) {
    const leader = leaderOf(scores, total);
    const most = scores[leader] ?? 0;
    if (most === 0) continue;
    for (let doc = 0; doc < best.length; doc += 1) {
      const share = (scores[doc] ?? 0) / most + (doc === leader ? tuning.leaders : 0);
      if (share > (best[doc] ?? 0)) best[doc] = share;
    }
  }
  const weight = tuning.clauses * top;
  for (let doc = 0; doc < best.length; doc += 1) total[doc] = (total[doc] ?? 0) + weight * (best[doc] ?? 0);
}

/** The best by the first scores; ties are broken by the second. */
function leaderOf(scores: Float64Array, others: Float64Array): number {
  let leader = 0;
  let most = scores[0] ?? 0;
  for (let doc = 1; doc < scores.length; doc += 1) {
    const score = scores[doc] ?? 0;
    if (score < most) continue;
    if (score > most || (others[doc] ?? 0) > (others[leader] ?? 0)) {
      leader = doc;
      most = score;
    }
  }
  return leader;
}
