import type { Cover } from './covered.js';
import type { Reach } from './reach.js';

/** Gathers files, and what their text says that they load. Only what lies in the roots counts. */
export interface Gathering {
  readonly roots: readonly string[];
  /** Where relative names of commands and modules begin, beside the folder of the file. */
  readonly bases: Set<string>;
  addFile(path: string): void;
  /** What a text loads, as the file of that path. The file itself is covered in another way. */
  addText(path: string, text: string): void;
  /** `./a`, `../a`: the file, or what interpreters take for it. */
  addNamed(folder: string, name: string): void;
  addMissing(path: string): void;
  /** Nothing of it may be trusted, for this reason. */
  fail(reason: string): void;
  /** A package by its name, as a file in that folder finds it. */
  addPackage(folder: string, name: string): void;
  addFolder(folder: string): void;
  /** Everything in a folder, new files included: for what cannot be followed. */
  addTree(folder: string): void;
  /** The same without files that a server writes while it runs. */
  addCodeTree(folder: string): void;
  /** Everything that a text can reach without naming it. `own`: the folder of its file. */
  addReach(reach: Reach, bases: Iterable<string>, own?: string): void;
  /** That a shell reads this file, whatever its name is. */
  noteShell(path: string): void;
  /** What Python could import from a folder on its path, new modules included. */
  addImportable(folder: string): void;
  /** Folders that packages are looked up in, beside every `node_modules`. */
  readonly moduleFolders: Set<string>;
  /** Scripts by `package.json`, which every command may ask for. */
  readonly scripts: Map<string, Readonly<Record<string, unknown>>>;
  /** False for a script that was followed before: scripts may run each other. */
  isNewScript(folder: string, name: string): boolean;
  /** False above the limit of commands; then the search has failed. */
  countLine(): boolean;
  /** A folder that an interpreter searches, whatever it holds now. */
  noteSearched(folder: string): void;
  /** Whether what interpreters choose by themselves counts too: for programs that nothing else holds. */
  readonly isStart: boolean;
  cover(): Cover;
}

/** What need not be gathered. */
export interface LeftOut {
  /** A file that is covered in another way. */
  isFile(path: string): boolean;
  /** A name that a file of that folder gets from the gateway, whatever is installed. */
  isModule(name: string, folder: string): boolean;
}

export interface GatheringOptions {
  readonly leftOut?: LeftOut;
  readonly isStart?: boolean;
}
