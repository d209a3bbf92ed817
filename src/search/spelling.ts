// Finds terms that differ from a word by one or two typos.
import type { View } from './view.js';
import type { Vocabulary } from './vocabulary.js';

/** A term that can match a query word. */
export interface Member {
  readonly term: number;
  /** The match weight: 1 is the word itself. */
  readonly weight: number;
}

export interface Spelling {
  near(word: string): readonly Member[];
}

interface Known {
  readonly text: string;
  readonly term: number;
  /** A bit per letter, to skip words that differ in many letters. */
  readonly letters: number;
}

const letters = /^[a-z]+$/;
const shortest = 5;
/** From this length on, two typos are allowed. */
const long = 8;
const weights = [0, 0.6, 0.4];

/** The word table is built on the first unknown word. */
export function createSpelling(view: View, vocabulary: Vocabulary): Spelling {
  let table: ReadonlyMap<string, readonly Known[]> | undefined;
  return {
    near(word) {
      if (word.length < shortest || !letters.test(word)) return [];
      table ??= tableOf(view, vocabulary);
      const slips = word.length >= long ? 2 : 1;
      return nearest(word, table.get(word.slice(0, 1)) ?? [], { slips, view });
    },
  };
}

/** Grouped by first letter, which is seldom wrong. */
function tableOf(view: View, vocabulary: Vocabulary): ReadonlyMap<string, readonly Known[]> {
  const table = new Map<string, Known[]>();
  for (let term = 0; term < vocabulary.limit(); term += 1) {
    const text = vocabulary.nameOf(term);
    if (view.frequencyOf(term) === 0 || text.length < shortest - 1 || !letters.test(text)) continue;
    const row = table.get(text.slice(0, 1)) ?? [];
    row.push({ text, term, letters: lettersOf(text) });
    table.set(text.slice(0, 1), row);
  }
  return table;
}

function nearest(
  word: string,
  known: readonly Known[],
  { slips, view }: { readonly slips: number; readonly view: View },
): readonly Member[] {
  const mask = lettersOf(word);
  let best: (Known & { readonly distance: number }) | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.text.length - word.length) > slips) continue;
    if (bitCount(candidate.letters ^ mask) > 2 * slips) continue;
    const distance = distanceOf(word, candidate.text, slips);
    if (distance > slips) continue;
    const found = { ...candidate, distance };
    if (best === undefined || isBetter(found, best, view)) best = found;
  }
  return best === undefined ? [] : [{ term: best.term, weight: weights[best.distance] ?? 0 }];
}

/** Closer first, then more frequent, then alphabetical. Never by insertion order, which would be unstable. */
function isBetter(
  one: Known & { readonly distance: number },
  other: Known & { readonly distance: number },
  view: View,
): boolean {
  if (one.distance !== other.distance) return one.distance < other.distance;
  const more = view.frequencyOf(one.term) - view.frequencyOf(other.term);
  return more === 0 ? one.text < other.text : more > 0;
}

function lettersOf(text: string): number {
  let mask = 0;
  for (let at = 0; at < text.length; at += 1) mask |= 1 << (text.charCodeAt(at) - 97);
  return mask;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Edit distance with insertions, deletions, substitutions and swaps; stops above `most`. */
function distanceOf(a: string, b: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length] ?? most + 1;
}
