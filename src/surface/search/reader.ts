// From words to the numbers of their terms. Most words of a catalogue are the same few thousand, in prose.
import type { Language } from './language.js';
import { createTally, type Tally } from './tally.js';
import type { Vocabulary } from './vocabulary.js';
import { ownCopy } from './words.js';

export interface Reader {
  /** For one server: what it reads is counted as used by it. */
  open(): ServerReader;
  /** To be called when terms were given back: their numbers may come to mean others. */
  forget(): void;
}

export interface ServerReader {
  /** The term of a word in a text; nothing for a word that tells nothing. */
  readonly prose: (word: string) => number | undefined;
  readonly stem: (word: string) => string;
  readonly take: (stem: string) => number;
  readonly tally: Tally;
}

const silent = -1;
/** The common ones come first, so the first are kept. */
const remembered = 12_000;

export function createReader(language: Language, vocabulary: Vocabulary): Reader {
  const known = new Map<string, number>();
  const tally = createTally();
  return {
    open() {
      const { take, use } = vocabulary.open();
      const prose = (word: string): number | undefined => {
        let term = known.get(word);
        if (term === undefined) {
          const { stem, isStop } = language.read(word);
          term = isStop ? silent : take(stem);
          if (known.size < remembered) known.set(ownCopy(word), term);
        } else if (term !== silent) use(term);
        return term === silent ? undefined : term;
      };
      return { prose, stem: (word) => language.read(word).stem, take, tally };
    },
    forget: () => known.clear(),
  };
}
