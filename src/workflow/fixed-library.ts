import { type Library, type LibraryParts, openLibrary } from './library.js';
import { readRegular } from './read-regular.js';

/** A library that reads every file once: what was hashed is what is used, whatever becomes of the file. */
export interface FixedLibrary extends Library {
  /** From now on nothing is there but what was read before. */
  seal(): void;
}

/** All that one workflow may bring. */
const mostBytes = 100 * 1024 * 1024;

export function openFixedLibrary(parts: LibraryParts): FixedLibrary {
  let isSealed = false;
  let left = mostBytes;
  const counted = (read: (path: string) => Buffer) =>
    once((path: string) => {
      if (isSealed) throw new Error('it is not among the files that were trusted');
      const bytes = read(path);
      left -= bytes.length;
      if (left < 0) throw new Error('the files of the workflow are too large');
      return bytes;
    });
  const library = openLibrary({ ...parts, read: counted(readRegular) });
  return {
    ...library,
    find: once((nameOrPath, from) => library.find(nameOrPath, from)),
    lookup: once((shelf, name, from) => library.lookup(shelf, name, from)),
    load: once((file, text) => library.load(file, text)),
    readInside: counted((path) => library.readInside(path)),
    seal: () => {
      isSealed = true;
    },
  };
}

/** What was answered once stays the answer; what failed is tried again. */
function once<Given extends readonly (string | undefined)[], Answer>(
  work: (...given: Given) => Answer,
): (...given: Given) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (...given) => {
    const key = JSON.stringify(given);
    const before = known.get(key) ?? { answer: work(...given) };
    known.set(key, before);
    return before.answer;
  };
}
