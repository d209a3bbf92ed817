import type { Asked, TermGroup } from './need.js';
import type { View } from './view.js';

export interface RankTuning {
  /** How much the best clause counts beside the whole need. */
  readonly clauses: number;
  readonly coverage: number;
  /** What the best tool of a clause gets on top: each clause shall be served. */
  readonly leaders: number;
}

export interface Ranking {
  /** Of every tool of the view; 0 for those that match nothing. */
  readonly scores: Float64Array;
  /** The share of what was asked, by rarity, that the tool has. */
  readonly coverage: Float64Array;
}

/** Scores every tool of a view for what was asked. */
export function rank(asked: Asked, view: View, tuning: RankTuning): Ranking {
  const whole = new Float64Array(view.size);
  const coverage = new Float64Array(view.size);
  const parts = Array.from(
    { length: asked.clauses > 1 ? asked.clauses : 0 },
    () => new Float64Array(view.size),
  );
  const best = new Float64Array(view.size);
  const had = new Float64Array(view.size);
  let wanted = 0;
  for (const group of asked.groups) {
    const touched = bestOfGroup(group, view, best, had);
    const rarity = rarityOfGroup(group, view);
    wanted += group.weight * rarity;
    for (const doc of touched) {
      const gain = group.weight * (best[doc] ?? 0);
      whole[doc] = (whole[doc] ?? 0) + gain;
      coverage[doc] = (coverage[doc] ?? 0) + group.weight * rarity * (had[doc] ?? 0);
      addToClauses(group, parts, doc, gain);
      best[doc] = 0;
      had[doc] = 0;
    }
  }
  return { scores: pooled(whole, coverage, parts, { wanted, tuning }), coverage: shares(coverage, wanted) };
}

function addToClauses(group: TermGroup, parts: readonly Float64Array[], doc: number, gain: number): void {
  if (parts.length === 0) return;
  for (const clause of group.clauses) {
    const part = parts[clause];
    if (part !== undefined) part[doc] = (part[doc] ?? 0) + gain;
  }
}

function bestOfGroup(group: TermGroup, view: View, best: Float64Array, had: Float64Array): readonly number[] {
  const touched: number[] = [];
  for (const { term, weight } of group.members) {
    const rarity = weight * view.rarityOf(term);
    const end = view.offsets[term + 1] ?? 0;
    for (let at = view.offsets[term] ?? 0; at < end; at += 1) {
      const doc = view.docs[at] ?? 0;
      const gain = rarity * (view.impacts[at] ?? 0);
      const before = best[doc] ?? 0;
      if (before === 0) touched.push(doc);
      if (gain > before) best[doc] = gain;
      if (weight > (had[doc] ?? 0)) had[doc] = weight;
    }
  }
  return touched;
}

const rarityOfGroup = (group: TermGroup, view: View): number =>
  group.members[0] === undefined ? 0 : view.rarityOf(group.members[0].term);

function pooled(
  whole: Float64Array,
  coverage: Float64Array,
  parts: readonly Float64Array[],
  { wanted, tuning }: { readonly wanted: number; readonly tuning: RankTuning },
): Float64Array {
  const total = whole.map((score, doc) => score * (1 + (tuning.coverage * (coverage[doc] ?? 0)) / (wanted || 1)));
  const top = total[leaderOf(total, total)] ?? 0;
  if (parts.length < 2 || top === 0) return total;
  const best = new Float64Array(total.length);
  for (const scores of parts) {
    const leader = leaderOf(scores, total);
    const most = scores[leader] ?? 0;
    if (most === 0) continue;
    scores.forEach((score, doc) => {
      const share = score / most + (doc === leader ? tuning.leaders : 0);
      if (share > (best[doc] ?? 0)) best[doc] = share;
    });
  }
  return total.map((score, doc) => score + tuning.clauses * top * (best[doc] ?? 0));
}

/** The best by these scores, among equals by the others. */
function leaderOf(scores: Float64Array, others: Float64Array): number {
  let leader = 0;
  scores.forEach((score, doc) => {
    const most = scores[leader] ?? 0;
    if (score > most || (score === most && (others[doc] ?? 0) > (others[leader] ?? 0))) leader = doc;
  });
  return leader;
}

const shares = (coverage: Float64Array, wanted: number): Float64Array =>
  coverage.map((share) => (wanted === 0 ? 0 : share / wanted));
