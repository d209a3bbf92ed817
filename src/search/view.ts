// The inverted index of one caller's visible tools. It contains no hidden tools, so that counts, frequencies, lengths and
// order cannot leak anything about them.
import type { Segment } from './segment.js';
import { type Field, fields } from './tool-text.js';
import type { Vocabulary } from './vocabulary.js';

export interface View {
  readonly size: number;
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly servers: readonly string[];
  readonly actions: Uint8Array;
  readonly places: readonly Place[];
  /** The postings of term `t` are at `offsets[t]` up to `offsets[t + 1]`. */
  readonly offsets: Uint32Array;
  readonly docs: Uint32Array;
  /** The weight of the term in the tool, without rarity. */
  readonly impacts: Float32Array;
  frequencyOf(term: number): number;
  rarityOf(term: number): number;
}

export interface Place {
  readonly segment: Segment;
  readonly at: number;
}

export interface FieldTuning {
  readonly weight: number;
  readonly b: number;
}

export interface ViewTuning {
  readonly k1: number;
  readonly fields: Readonly<Record<Field, FieldTuning>>;
}

const usualLengths: Readonly<Record<Field, number>> = {
  server: 2,
  name: 3,
  title: 3,
  lead: 20,
  description: 20,
  parameters: 6,
  parameterTexts: 40,
  values: 8,
  hints: 8,
};
const usualTools = 20;
const longest = 10;

export function createView(
  segments: Iterable<Segment>,
  visible: ReadonlySet<string> | undefined,
  parts: { readonly vocabulary: Vocabulary; readonly tuning: ViewTuning },
): View {
  const places = placesOf(segments, visible);
  const offsets = offsetsOf(places, parts.vocabulary.limit());
  const postings = offsets[offsets.length - 1] ?? 0;
  const docs = new Uint32Array(postings);
  const impacts = new Float32Array(postings);
  fill({ docs, impacts, next: offsets.slice() }, places, parts.tuning);
  const frequencyOf = (term: number): number => (offsets[term + 1] ?? 0) - (offsets[term] ?? 0);
  const rarities = Float64Array.from({ length: offsets.length - 1 }, (_, term) => {
    const frequency = frequencyOf(term);
    return Math.log(1 + (places.length - frequency + 0.5) / (frequency + 0.5));
  });
  return {
    size: places.length,
    ids: places.map(({ segment, at }) => segment.ids[at] ?? ''),
    names: places.map(({ segment, at }) => segment.names[at] ?? ''),
    servers: places.map(({ segment }) => segment.server),
    actions: Uint8Array.from(places, ({ segment, at }) => segment.actions[at] ?? 0),
    places,
    offsets,
    docs,
    impacts,
    frequencyOf,
    rarityOf: (term) => rarities[term] ?? 0,
  };
}

/** In tie-breaking order: server, then name (a segment is already sorted). */
function placesOf(segments: Iterable<Segment>, visible: ReadonlySet<string> | undefined): readonly Place[] {
  const places: Place[] = [];
  for (const segment of [...segments].sort((a, b) => (a.server < b.server ? -1 : 1))) {
    segment.ids.forEach((id, at) => {
      if (visible?.has(id) ?? true) places.push({ segment, at });
    });
  }
  return places;
}

function offsetsOf(places: readonly Place[], terms: number): Uint32Array {
  const offsets = new Uint32Array(terms + 2);
  for (const { segment, at } of places) {
    const { cells } = segment;
    const end = cells[at + 1] ?? 0;
    for (let from = cells[at] ?? 0; from < end; from += 2) {
      const term = cells[from] ?? 0;
      offsets[term + 1] = (offsets[term + 1] ?? 0) + 1;
    }
  }
  for (let term = 1; term < offsets.length; term += 1) {
    offsets[term] = (offsets[term] ?? 0) + (offsets[term - 1] ?? 0);
  }
  return offsets;
}

interface Postings {
  readonly docs: Uint32Array;
  readonly impacts: Float32Array;
  /** The next posting position of each term. */
  readonly next: Uint32Array;
}

/** BM25F: counts are weighted by field and field length before they saturate together. */
function fill({ docs, impacts, next }: Postings, places: readonly Place[], tuning: ViewTuning): void {
  const averages = averageLengths(places);
  const shares = new Float64Array(fields.length);
  places.forEach(({ segment, at }, doc) => {
    weigh(shares, segment.lengths.subarray(at * fields.length, (at + 1) * fields.length), {
      averages,
      tuning,
    });
    const { cells } = segment;
    const end = cells[at + 1] ?? 0;
    for (let from = cells[at] ?? 0; from < end; from += 2) {
      const term = cells[from] ?? 0;
      const slot = next[term] ?? 0;
      next[term] = slot + 1;
      docs[slot] = doc;
      const sum = weightedCount(cells[from + 1] ?? 0, shares);
      impacts[slot] = ((tuning.k1 + 1) * sum) / (tuning.k1 + sum);
    }
  });
}

/** The weight of one occurrence in each field of this tool. */
function weigh(
  shares: Float64Array,
  lengths: Uint16Array,
  { averages, tuning }: { readonly averages: readonly number[]; readonly tuning: ViewTuning },
): void {
  fields.forEach((field, index) => {
    const { weight, b } = tuning.fields[field];
    shares[index] = weight / (1 - b + (b * (lengths[index] ?? 0)) / (averages[index] ?? 1));
  });
}

function weightedCount(packed: number, shares: Float64Array): number {
  let sum = 0;
  for (let rest = packed, field = 0; rest !== 0; rest >>>= 3, field += 1) {
    sum += (rest & 7) * (shares[field] ?? 0);
  }
  return sum;
}

/**
 * The average field length over tools that have the field, plus a number of typical ones. Very long texts are capped, so
 * that a few tools cannot distort the average.
 */
function averageLengths(places: readonly Place[]): readonly number[] {
  return fields.map((field, index) => {
    const usual = usualLengths[field];
    let sum = usual * usualTools;
    let having = usualTools;
    for (const { segment, at } of places) {
      const length = segment.lengths[at * fields.length + index] ?? 0;
      if (length === 0) continue;
      sum += Math.min(length, usual * longest);
      having += 1;
    }
    return sum / having;
  });
}
