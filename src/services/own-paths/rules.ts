import { join, sep } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import type { HiddenName } from '../../ports/own-paths.js';
import { companionEnding, folded, isInside, type ResolvedPlaces } from './own-places.js';

/** The single source for "is this path Tidegate's own?". Takes folded paths. */
export interface Rules {
  hides(path: string): boolean;
  whyNotWritten(path: string): string | undefined;
  /** The hidden paths, not folded. */
  hidden(): readonly HiddenName[];
}

const ofState = 'it is one of the private files of Tidegate';
const ofSystem = 'it belongs to the system, not to a workspace';
const ofRights = 'it controls what callers may do';
const ofProgram =
  'a trusted server, tool, plugin or workflow, or Tidegate itself, loads code from there, or this file determines which code it loads. The operator can put a server in its own folder with a `package.json`, or set `workspace.lock_trusted: false`, and run `tidegate trust`';

export function createRules(places: ResolvedPlaces, outputName: string, seesGoverning: boolean): Rules {
  const folders = places.stateDirs.map(folded);
  const files = [...places.stores, ...places.logs].map(folded);
  const governing = places.governing.map(folded);
  const program = [...places.program, ...places.absent].map(folded);
  const output = places.output.map(folded);
  const isIn = (path: string, all: readonly string[]) => all.some((one) => isInside(path, one));
  const isPrivate = (path: string) =>
    isIn(path, folders) || files.some((file) => isFileOrCompanion(path, file));
  const isForeignOutput = (path: string) =>
    output.some(
      (folder) => path !== folder && isInside(path, folder) && !isInside(path, folder + sep + outputName),
    );
  // A workspace root in /dev/shm is not a system folder.
  const shared = places.roots.map(folded).filter((root) => root.startsWith('/dev/'));
  const isSystem = (path: string) => isIn(path, places.system) && !isIn(path, shared);
  return {
    hides: (path) =>
      isSystem(path) || isPrivate(path) || isForeignOutput(path) || (!seesGoverning && isIn(path, governing)),
    whyNotWritten(path) {
      if (isPrivate(path) || isIn(path, output)) return ofState;
      if (isSystem(path)) return ofSystem;
      if (isIn(path, governing)) return ofRights;
      return isIn(path, program) ? ofProgram : undefined;
    },
    hidden: () => [
      ...places.system.map(alone),
      ...places.stateDirs.map(alone),
      ...[...places.stores, ...places.logs].map((path) => ({ path, hasCompanions: true })),
      ...(seesGoverning ? [] : places.governing.map(alone)),
      ...places.output.flatMap((folder) => foreignIn(folder, outputName)),
    ],
  };
}

function isFileOrCompanion(path: string, file: string): boolean {
  return path === file || (path.startsWith(file) && companionEnding.test(path.slice(file.length)));
}

function alone(path: string): HiddenName {
  return { path, hasCompanions: false };
}

function foreignIn(folder: string, outputName: string): readonly HiddenName[] {
  return namesIn(folder)
    .filter((name) => name !== outputName)
    .map((name) => alone(join(folder, name)));
}
