// Terms of one view that can match a query word.
import type { Language } from './language.js';
import { createSpelling, type Member } from './spelling.js';
import type { View } from './view.js';
import type { Vocabulary } from './vocabulary.js';

export interface Members {
  /** Strongest first. */
  of(stem: string): readonly Member[];
  /** Similarly spelled terms, for a word that no visible tool has, not even as a synonym. */
  spelledLike(stem: string): readonly Member[];
}

export interface MembersTuning {
  /** Terms whose weight times rarity is below this are dropped. */
  readonly least: number;
}

const remembered = 5000;

export function createMembers(parts: {
  readonly language: Language;
  readonly vocabulary: Vocabulary;
  readonly view: View;
  readonly tuning: MembersTuning;
}): Members {
  const { language, vocabulary, view } = parts;
  const known = new Map<string, readonly Member[]>();
  const spelling = createSpelling(view, vocabulary);
  const find = (stem: string): readonly Member[] => {
    const members: Member[] = [];
    for (const { term, weight } of [{ term: stem, weight: 1 }, ...language.relatedTo(stem)]) {
      const id = vocabulary.find(term);
      if (id === undefined || view.frequencyOf(id) === 0) continue;
      if (weight === 1 || weight * view.rarityOf(id) >= parts.tuning.least)
        members.push({ term: id, weight });
    }
    return members;
  };
  return {
    of(stem) {
      const before = known.get(stem);
      if (before !== undefined) return before;
      if (known.size >= remembered) known.clear();
      const members = find(stem);
      known.set(stem, members);
      return members;
    },
    spelledLike: (stem) => spelling.near(stem),
  };
}
