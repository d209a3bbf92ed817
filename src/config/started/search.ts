import type { Found } from './found.js';
import type { Gathering, LeftOut } from './gathering.js';
import type { Reach } from './reach.js';

/** A search for what files load. Files lead to texts, texts to packages and folders, and those to files again. */
export interface Search {
  readonly found: Found;
  readonly gathering: Gathering;
  readonly leftOut: LeftOut;
  addFile(path: string): void;
  addNamed(folder: string, name: string, isFileOnly?: boolean): void;
  /** What a file loads according to its text. */
  follow(path: string, text: string): void;
  addPackage(folder: string, name: string): void;
  /** A package or folder as a whole. */
  addWhole(folder: string): void;
  addReach(reach: Reach, bases: readonly string[], own?: string): void;
  addImportable(folder: string): void;
}
