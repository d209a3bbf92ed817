// What may stand for a word of a need among the tools of one view.
import type { Language } from './language.js';
import { createSpelling, type Member } from './spelling.js';
import type { View } from './view.js';
import type { Vocabulary } from './vocabulary.js';

export interface Members {
  /** The strongest first. */
  of(stem: string): readonly Member[];
  /** For a word that no visible tool has, nor anything near it in meaning: terms that are written almost so. */
  spelledLike(stem: string): readonly Member[];
}

export interface MembersTuning {
  /** Terms that would add less than this are left out, by weight times rarity. */
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
