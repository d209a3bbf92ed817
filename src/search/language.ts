import lexicon from './lexicon.json' with { type: 'json' };
import { createStemmer } from './stem.js';
import { ownCopy, splitWords } from './words.js';

/** A related word and its weight (0 to 1). */
export interface Related {
  readonly term: string;
  readonly weight: number;
}

export interface Known {
  readonly stem: string;
  /** Whether the word is a stop word. */
  readonly isStop: boolean;
}

/** Language knowledge, independent of any catalog. */
export interface Language {
  read(word: string): Known;
  /** The weight of a query word, usually 1; words that occur in every request weigh less. */
  weightOf(word: string): number;
  /** Stems with a related meaning. */
  relatedTo(stem: string): readonly Related[];
}

/** `words` are synonyms. With a `topic`, they belong to it: the topic matches them, but they hardly match the topic. */
export interface SynonymClass {
  readonly words: readonly string[];
  readonly topic?: string;
}

const mostRelated = 60;
/** Catalogs use the same few thousand words again and again. */
const remembered = 4000;

/** The weights of a synonym, of its topic, and from the topic. */
export interface LexiconTuning {
  readonly same: number;
  readonly toTopic: number;
  readonly fromTopic: number;
  readonly siblings: number;
  /** The factor for a relation over two steps. */
  readonly far: number;
}

export function createLanguage(weights: LexiconTuning, own: readonly SynonymClass[] = []): Language {
  const stem = createStemmer(irregularWords());
  const stops = new Set(lexicon.stop.flatMap(split));
  const weakWords = gradedWords();
  let table: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;
  const related = new Map<string, readonly Related[]>();
  const words = new Map<string, Known>();
  return {
    read(word) {
      const known = words.get(word);
      if (known !== undefined) return known;
      const fresh = { stem: ownCopy(stem(word)), isStop: stops.has(word) };
      // Common words come first, so keep the first.
      if (words.size < remembered) words.set(ownCopy(word), fresh);
      return fresh;
    },
    weightOf: (word) => weakWords.get(word) ?? 1,
    relatedTo(term) {
      // Built on the first query, because indexing does not need it.
      table ??= relations([...shippedClasses(), ...own.map(folded)], weights, stem);
      const row = table.get(term);
      if (row === undefined) return [];
      const known = related.get(term) ?? strongest(widened(term, row, table, weights.far));
      related.set(term, known);
      return known;
    },
  };
}

const split = (line: string): readonly string[] => line.split(' ').filter((word) => word !== '');

/** Words that occur in every request, by weight. */
function gradedWords(): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(lexicon.weak).flatMap(([weight, lines]) =>
      lines.flatMap(split).map((word): [string, number] => [word, Number(weight)]),
    ),
  );
}

function irregularWords(): ReadonlyMap<string, string> {
  return new Map(
    lexicon.irregular.flatMap(split).map((pair): [string, string] => {
      const [form = '', lemma = ''] = pair.split(':');
      return [form, lemma];
    }),
  );
}

function shippedClasses(): readonly SynonymClass[] {
  return [
    ...lexicon.same.map((line): SynonymClass => ({ words: split(line) })),
    ...Object.entries(lexicon.topics).map(([topic, line]): SynonymClass => ({ topic, words: split(line) })),
  ];
}

/** Normalizes the operator's synonyms, which may contain accents, capitals and spaces. */
function folded({ words, topic }: SynonymClass): SynonymClass {
  const fold = (word: string): string => splitWords(word).join('_');
  return { words: words.map(fold), ...(topic === undefined ? {} : { topic: fold(topic) }) };
}

function relations(
  classes: readonly SynonymClass[],
  weights: LexiconTuning,
  stem: (word: string) => string,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const table = new Map<string, Map<string, number>>();
  const relate = (from: string, to: string, weight: number): void => {
    if (from === to || weight === 0) return;
    const row = table.get(from) ?? new Map<string, number>();
    table.set(from, row.set(to, Math.max(weight, row.get(to) ?? 0)));
  };
  for (const { words, topic } of classes) {
    const stems = words.map(stem);
    const head = topic === undefined ? undefined : stem(topic);
    for (const one of stems) {
      if (head !== undefined) {
        relate(one, head, weights.toTopic);
        relate(head, one, weights.fromTopic);
      }
      for (const other of stems) relate(one, other, head === undefined ? weights.same : weights.siblings);
    }
  }
  return table;
}

/** Includes relations over two steps: `nft` leads to `crypto`, and from there to `finance`. */
function widened(
  term: string,
  row: ReadonlyMap<string, number>,
  table: ReadonlyMap<string, ReadonlyMap<string, number>>,
  far: number,
): ReadonlyMap<string, number> {
  const wide = new Map(row);
  for (const [between, first] of row) {
    for (const [end, second] of table.get(between) ?? []) {
      if (end !== term) wide.set(end, Math.max(wide.get(end) ?? 0, first * second * far));
    }
  }
  return wide;
}

function strongest(row: ReadonlyMap<string, number>): readonly Related[] {
  return Array.from(row, ([term, weight]) => ({ term, weight }))
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
    .slice(0, mostRelated);
}
