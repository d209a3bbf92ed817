// What a need asks of the index: groups of terms, one for each of its words, and the clauses that they come from.
import { clausesOf } from './clauses.js';
import { readEntities } from './entities.js';
import type { Language } from './language.js';
import type { View } from './view.js';
import type { Vocabulary } from './vocabulary.js';
import { isNumber, wordsOf } from './words.js';

/** A word of the need, with what may stand for it: a tool counts the best of them once. */
export interface TermGroup {
  readonly weight: number;
  readonly members: readonly Member[];
  /** The numbers of the clauses it is in. */
  readonly clauses: readonly number[];
}

export interface Member {
  readonly term: number;
  readonly weight: number;
}

export interface Asked {
  readonly groups: readonly TermGroup[];
  readonly clauses: number;
}

export interface NeedTuning {
  readonly synonyms: number;
  readonly numbers: number;
  readonly joined: number;
  /** What the kind of a value weighs, beside a word. */
  readonly kinds: number;
}

interface Seen {
  count: number;
  weight: number;
  readonly clauses: Set<number>;
  readonly word: string;
}

const mostGroups = 160;

export function readNeed(
  text: string,
  parts: {
    readonly language: Language;
    readonly vocabulary: Vocabulary;
    readonly view: View;
    readonly tuning: NeedTuning;
  },
): Asked {
  const entities = readEntities(text);
  const clauses = clausesOf(entities.text);
  const words = clauses.map((clause) => tellingWords(clause, parts.language));
  const all = words.some(({ length }) => length > 0) ? words : clauses.map((clause) => wordsOf(clause));
  const seen = new Map<string, Seen>();
  all.forEach((list, clause) => {
    list.forEach((word, at) => {
      note(seen, { stem: parts.language.stem(word), word, clause, weight: weightOf(word, parts) });
      const next = list[at + 1];
      if (next === undefined) return;
      note(seen, { stem: parts.language.stem(word + next), word: '', clause, weight: parts.tuning.joined });
    });
  });
  const everywhere = clauses.map((_, clause) => clause);
  for (const kind of entities.kinds) {
    const stem = parts.language.stem(kind);
    if (!seen.has(stem)) seen.set(stem, { count: 1, weight: parts.tuning.kinds, clauses: new Set(everywhere), word: '' });
  }
  const groups = Array.from(seen)
    .slice(0, mostGroups)
    .map(([stem, known]) => groupOf(stem, known, parts))
    .filter(({ members }) => members.length > 0);
  return { groups, clauses: clauses.length };
}

function tellingWords(clause: string, language: Language): readonly string[] {
  return wordsOf(clause).filter((word) => !language.isStop(word));
}

function weightOf(word: string, parts: { readonly language: Language; readonly tuning: NeedTuning }): number {
  if (isNumber(word)) return parts.tuning.numbers;
  return parts.language.weightOf(word);
}

function note(
  seen: Map<string, Seen>,
  { stem, word, clause, weight }: { stem: string; word: string; clause: number; weight: number },
): void {
  const known = seen.get(stem) ?? { count: 0, weight, clauses: new Set<number>(), word };
  known.count += 1;
  known.clauses.add(clause);
  seen.set(stem, known);
}

function groupOf(
  stem: string,
  known: Seen,
  { language, vocabulary, view, tuning }: Parameters<typeof readNeed>[1],
): TermGroup {
  const members: Member[] = [];
  const add = (term: string, weight: number): void => {
    const id = vocabulary.find(term);
    if (id !== undefined && view.frequencyOf(id) > 0) members.push({ term: id, weight });
  };
  add(stem, 1);
  if (tuning.synonyms > 0) {
    for (const { term, weight } of language.relatedTo(stem)) add(term, weight * tuning.synonyms);
  }
  return { weight: known.weight * Math.sqrt(known.count), members, clauses: [...known.clauses] };
}
