import { type Library, type LibraryParts, openLibrary } from './library.js';
import { readRegular } from './read-regular.js';

/** Reads every file only once, so a file cannot change between hashing and use. */
export interface FixedLibrary extends Library {
  /** Afterwards, only files that were read before are available. */
  seal(): void;
}

/** Limit for all files of one workflow together. */
const mostBytes = 100 * 1024 * 1024;

export function openFixedLibrary(parts: LibraryParts): FixedLibrary {
  let isSealed = false;
  let left = mostBytes;
  const counted = (read: (path: string) => Buffer) =>
    once((path: string) => {
      if (isSealed) throw new Error('it is not one of the trusted files');
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

/** Caches successful results; failures are retried. */
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
