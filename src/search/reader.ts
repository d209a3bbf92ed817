// Maps texts to term numbers. Most words of a catalog are the same few thousand.
import type { Language } from './language.js';
import { createTally, type Tally } from './tally.js';
import type { Vocabulary } from './vocabulary.js';
import { eachPlainWord, isPlain, splitWords } from './words.js';
import { createWordTable } from './word-table.js';

export interface Reader {
  /** A reader for one server, which counts as the user of the terms it reads. */
  open(): ServerReader;
  /** Call it when terms were released, because their numbers may be reused. */
  forget(): void;
}

/** Both methods count the terms of a field of the current tool up to a limit, and return the number of words. */
export interface ServerReader {
  /** Without stop words. */
  readonly readProse: (text: string, field: number, most: number) => number;
  /** All words, and each pair of adjacent words as one term. */
  readonly readName: (text: string, field: number, most: number) => number;
  readonly tally: Tally;
}

const silent = -1;

export function createReader(language: Language, vocabulary: Vocabulary): Reader {
  const table = createWordTable();
  const tally = createTally();
  return {
    open() {
      const { take, use } = vocabulary.open();
      const termOf = (word: string): number => {
        const { stem, isStop } = language.read(word);
        return isStop ? silent : take(stem);
      };
      const readProse = (text: string, field: number, most: number): number => {
        let count = 0;
        const add = (term: number): void => {
          count += 1;
          if (term !== silent && count <= most) tally.add(term, field);
        };
        if (!isPlain(text)) for (const word of splitWords(text)) add(termOf(word));
        else
          eachPlainWord(text, (from, end) => {
            const known = table.find(text, from, end);
            if (known !== undefined && known !== silent) use(known);
            const term = known ?? termOf(splitWords(text.slice(from, end)).join(''));
            if (known === undefined) table.set(text, from, end, term);
            add(term);
          });
        return count;
      };
      const readName = (text: string, field: number, most: number): number => {
        const words = splitWords(text);
        let before = '';
        for (const word of words.slice(0, most)) {
          const { stem } = language.read(word);
          tally.add(take(stem), field);
          if (before !== '') tally.add(take(before + stem), field);
          before = stem;
        }
        return words.length;
      };
      return { readProse, readName, tally };
    },
    forget: () => table.clear(),
  };
}
