import { sha256Of } from '../../lib/sha256.js';
import { createGuardNotes, type GuardNotes } from './guards.js';
import { createLimits, type Limits } from './limits.js';
import { createListings } from './listings.js';
import { createPackageNames } from './package-names.js';
import { statsOf } from './stats-of.js';
import { isWithin, realOf } from './workspace-paths.js';

/** What a search has found so far, and what it may still look at. */
export interface Found {
  /** Real paths. */
  readonly roots: readonly string[];
  /** Hashes by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that load a module whose name is computed. */
  readonly computed: Set<string>;
  /** Files that a shell reads, whatever their names are. */
  readonly shellFiles: Set<string>;
  readonly notes: GuardNotes;
  readonly limits: Limits;
  /** False while adding files that could be imported: what they can reach counts only once something imports them. */
  isLoaded: boolean;
  isNew(...parts: readonly string[]): boolean;
  /** Like `isNew`, for a name to look up. Throws above the limit of names. */
  isNewName(...parts: readonly string[]): boolean;
  isThere(path: string): boolean;
  statsIfThere(path: string): ReturnType<typeof statsOf>;
  /** The name in a `package.json`. */
  packageName(file: string): string | undefined;
  /** Whether the path is in one of the roots. */
  isOurs(path: string): boolean;
  /** Files outside belong to the operator, but a link that agents could change decides which one is used. */
  isChosen(given: string, path: string): boolean;
  keep(path: string, sha256: string): void;
  keepChoice(link: string, target: string): void;
  noteWay(given: string, path: string): void;
  /** The real path, after noting the links on the path to it. */
  onWay(given: string): string;
}

const maxFiles = 5_000;

export function createFound(given: readonly string[]): Found {
  const roots = given.map(realOf);
  const files = new Map<string, string>();
  const seen = new Set<string>();
  const notes = createGuardNotes(roots);
  const limits = createLimits();
  const isThere = createListings();
  const isIn = (path: string, among: readonly string[]): boolean =>
    among.some((root) => isWithin(path, root));
  const found: Found = {
    roots,
    files,
    computed: new Set(),
    shellFiles: new Set(),
    notes,
    limits,
    isLoaded: true,
    isNew(...parts) {
      const key = parts.join('\0');
      return !seen.has(key) && seen.add(key).size > 0;
    },
    isNewName: (...parts) => found.isNew('name', String(found.isLoaded), ...parts) && limits.countName(),
    isThere,
    statsIfThere: (path) => (isThere(path) ? statsOf(path) : undefined),
    packageName: createPackageNames(),
    isOurs: (path) => isIn(path, roots),
    isChosen: (link, path) =>
      link !== path && isIn(link, [...given, ...roots]) && !isIn(path, roots) && statsOf(path) !== undefined,
    keep(path, sha256) {
      files.set(path, sha256);
      if (files.size > maxFiles)
        throw new Error(`it loads more than ${String(maxFiles)} files of the workspace`);
    },
    keepChoice(link, target) {
      notes.noteWay(link);
      found.keep(link, sha256Of(`link to ${target}`));
    },
    noteWay(link, path) {
      if (link !== path) notes.noteWay(link);
    },
    onWay(link) {
      const path = realOf(link);
      found.noteWay(link, path);
      return path;
    },
  };
  return found;
}
