// What is known of one server's tools: made once when the server appears, thrown away whole when it goes.
import type { Language } from './language.js';
import { type Field, type FieldTexts, fields, textsOf, type ToolText } from './tool-text.js';
import type { Vocabulary } from './vocabulary.js';
import { wordsOf } from './words.js';

/** Terms of each tool, side by side: those of tool `i` are at `starts[i]` up to `starts[i + 1]`. */
export interface Segment {
  readonly server: string;
  readonly serverWords: readonly string[];
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  /** How often the term is in each field, three bits a field, in the order of `fields`. */
  readonly counts: Uint32Array;
  /** How many words each field has, those past the cap too: what is not read still makes a text long. */
  readonly lengths: Uint16Array;
}

/** How many words of a field are read. */
const read: Readonly<Record<Field, number>> = {
  server: 12,
  name: 16,
  title: 16,
  lead: 80,
  description: 220,
  parameters: 160,
  parameterTexts: 160,
  values: 60,
  hints: 200,
};
const bits = 3;
const mostCounted = 7;
const joinedFields: ReadonlySet<Field> = new Set(['server', 'name', 'title', 'parameters', 'hints']);

export function countIn(packed: number, field: number): number {
  return (packed >>> (field * bits)) & mostCounted;
}

export function createSegment(
  server: string,
  unordered: readonly ToolText[],
  parts: { readonly language: Language; readonly vocabulary: Vocabulary },
): Segment {
  const { language, vocabulary } = parts;
  const tools = unordered.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
  const taken = new Map<string, number>();
  const numberOf = (term: string): number => {
    const known = taken.get(term);
    if (known !== undefined) return known;
    const id = vocabulary.take(term);
    taken.set(term, id);
    return id;
  };
  const starts = new Uint32Array(tools.length + 1);
  const lengths = new Uint16Array(tools.length * fields.length);
  const terms: number[] = [];
  const counts: number[] = [];
  tools.forEach((tool, at) => {
    const counted = countTerms(textsOf(server, tool), language, lengths.subarray(at * fields.length));
    for (const [term, packed] of counted) {
      terms.push(numberOf(term));
      counts.push(packed);
    }
    starts[at + 1] = terms.length;
  });
  return {
    server,
    serverWords: wordsOf(server),
    ids: tools.map(({ id }) => id),
    names: tools.map(({ name }) => name),
    starts,
    terms: Uint32Array.from(terms),
    counts: Uint32Array.from(counts),
    lengths,
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Gives back the terms of a server that goes. */
export function releaseSegment(segment: Segment, vocabulary: Vocabulary): void {
  for (const id of new Set(segment.terms)) vocabulary.release(id);
}

function countTerms(texts: FieldTexts, language: Language, lengths: Uint16Array): Map<string, number> {
  const counted = new Map<string, number>();
  fields.forEach((field, at) => {
    let length = 0;
    const add = (term: string): void => {
      const packed = counted.get(term) ?? 0;
      if (countIn(packed, at) < mostCounted) counted.set(term, packed + (1 << (at * bits)));
    };
    for (const text of texts[field]) {
      const words = wordsOf(text);
      for (const term of termsOf(words.slice(0, Math.max(0, read[field] - length)), field, language))
        add(term);
      length += words.length;
    }
    lengths[at] = Math.min(length, 65_535);
  });
  return counted;
}

function termsOf(words: readonly string[], field: Field, language: Language): string[] {
  const terms: string[] = [];
  words.forEach((word, at) => {
    const isName = joinedFields.has(field);
    if (!isName && language.isStop(word)) return;
    terms.push(language.stem(word));
    if (!isName) return;
    const next = words[at + 1];
    if (next !== undefined) terms.push(language.stem(word + next));
  });
  return terms;
}
