import type { Cover } from './covered.js';
import type { Reach } from './reach.js';

/** Collects files and everything that their text loads. Only files in the roots count. */
export interface Gathering {
  readonly roots: readonly string[];
  /** Folders from which commands and modules with relative names are resolved, besides the folder of the file. */
  readonly bases: Set<string>;
  addFile(path: string): void;
  /** Adds what a text loads, as if it were the file at that path. The file itself is not added. */
  addText(path: string, text: string): void;
  /** `./a`, `../a`: the file, or what interpreters load instead. */
  addNamed(folder: string, name: string): void;
  addMissing(path: string): void;
  /** Makes the whole result untrusted, for this reason. */
  fail(reason: string): void;
  /** A package by its name, as a file in that folder finds it. */
  addPackage(folder: string, name: string): void;
  addFolder(folder: string): void;
  /** Everything in a folder, including new files, if what is loaded from it can't be determined. */
  addTree(folder: string): void;
  /** Like `addTree`, without files that a server writes while it runs. */
  addCodeTree(folder: string): void;
  /** Everything that a text can reach without naming it. `own`: the folder of its file. */
  addReach(reach: Reach, bases: Iterable<string>, own?: string): void;
  /** Treats this file as a shell script, whatever its name is. */
  noteShell(path: string): void;
  /** What Python could import from a folder on its path, including new modules. */
  addImportable(folder: string): void;
  /** Folders in which packages are looked up, besides every `node_modules`. */
  readonly moduleFolders: Set<string>;
  /** Cached scripts of each `package.json`. */
  readonly scripts: Map<string, Readonly<Record<string, unknown>>>;
  /** False for a script that was already followed, because scripts may run each other. */
  isNewScript(folder: string, name: string): boolean;
  /** False above the limit of commands, which makes the search fail. */
  countLine(): boolean;
  /** A folder that an interpreter searches, whatever it contains now. */
  noteSearched(folder: string): void;
  /** Also add what interpreters load implicitly, for programs that Tidegate starts. */
  readonly isStart: boolean;
  cover(): Cover;
}

/** What is not collected. */
export interface LeftOut {
  /** A file whose trust is checked elsewhere. */
  isFile(path: string): boolean;
  /** A module that the gateway provides to files in that folder, whatever is installed. */
  isModule(name: string, folder: string): boolean;
}

export interface GatheringOptions {
  readonly leftOut?: LeftOut;
  readonly isStart?: boolean;
}
