import { messageOf } from '../../lib/error-message.js';
import { addFile, addNamed } from './follow-files.js';
import { addImportable, addReach, addTree } from './follow-folders.js';
import { addPackage, addWhole } from './follow-packages.js';
import { followText } from './follow-text.js';
import { createFound, type Found } from './found.js';
import type { Gathering, GatheringOptions, LeftOut } from './gathering.js';
import { codeTreeAt, treeAt } from './package-digest.js';
import type { Search } from './search.js';
import { failMissing } from './stats-of.js';
import { realOf } from './workspace-paths.js';

export type { Gathering };

const nothing: LeftOut = { isFile: () => false, isModule: () => false };

export function createGathering(
  roots: readonly string[],
  { leftOut = nothing, isStart = false }: GatheringOptions = {},
): Gathering {
  const found = createFound(roots);
  let problem: string | undefined;
  const guarded = (work: () => void): void => {
    try {
      if (problem === undefined) work();
    } catch (error) {
      problem = messageOf(error);
    }
  };
  const gathering: Gathering = {
    roots: found.roots,
    bases: new Set(),
    addFile: (path) => guarded(() => search.addFile(path)),
    addText: (path, text) => guarded(() => search.follow(path, text)),
    addNamed: (folder, name) => guarded(() => search.addNamed(folder, name)),
    fail: (reason) =>
      guarded(() => {
        throw new Error(reason);
      }),
    addMissing: (path) => guarded(() => failMissing(path, isStart && found.isOurs(realOf(path)))),
    addPackage: (folder, name) => guarded(() => search.addPackage(folder, name)),
    addFolder: (folder) => guarded(() => search.addWhole(found.onWay(folder))),
    addTree: (folder) => guarded(() => addTree(search, found.onWay(folder), treeAt)),
    addCodeTree: (folder) => guarded(() => addTree(search, found.onWay(folder), codeTreeAt)),
    addReach: (reach, bases, own) => guarded(() => search.addReach(reach, [...bases], own)),
    noteShell: (path) => found.shellFiles.add(realOf(path)),
    addImportable: (folder) => guarded(() => search.addImportable(found.onWay(folder))),
    moduleFolders: new Set(),
    scripts: new Map(),
    isNewScript: (folder, name) => found.isNew('script', folder, name),
    countLine: () => {
      guarded(() => found.limits.countLine());
      return problem === undefined;
    },
    noteSearched: (folder) => found.notes.noteSearched(folder),
    isStart,
    cover: () => coverOf(found, problem),
  };
  const search = createSearch(found, gathering, leftOut);
  return gathering;
}

function createSearch(found: Found, gathering: Gathering, leftOut: LeftOut): Search {
  const search: Search = {
    found,
    gathering,
    leftOut,
    addFile: (path) => addFile(search, path),
    addNamed: (folder, name, isFileOnly) => addNamed(search, folder, name, isFileOnly),
    follow: (path, text) => followText(search, path, text),
    addPackage: (folder, name) => addPackage(search, folder, name),
    addWhole: (folder) => addWhole(search, folder),
    addReach: (reach, bases, own) => addReach(search, reach, bases, own),
    addImportable: (folder) => addImportable(search, folder),
  };
  return search;
}

function coverOf(
  { files, computed, notes }: Found,
  problem: string | undefined,
): ReturnType<Gathering['cover']> {
  return {
    files: [...files].map(([file, sha256]) => ({ file, sha256 })).sort((a, b) => (a.file < b.file ? -1 : 1)),
    computed: [...computed].sort(),
    guards: notes.guards(),
    ...(problem !== undefined && { problem }),
  };
}
