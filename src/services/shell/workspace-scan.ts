import { type BigIntStats, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createBreaks } from './breaks.js';
import { isOddPath, pathForDisk, textOfName } from './odd-path.js';
import { shareRuns } from './share-runs.js';

export interface WorkspaceScan {
  /**
   * Folders in which git finds a repository, by the name `.git` or by their content. Without the roots, nearest first.
   */
  readonly trees: readonly string[];
  /** Existing paths in protected places below the top of a root, nearest first. */
  readonly places: readonly string[];
  /** Like `trees`, for paths with a name that is not UTF-8. */
  readonly oddTrees: readonly string[];
  /** Folders of this user that can't be listed. Git may still enter their content. */
  readonly closed: readonly string[];
}

export type ScanWorkspace = () => Promise<WorkspaceScan>;

interface Folder {
  readonly path: string;
  /** Inside a protected place, where no further places are listed. */
  readonly isPlace: boolean;
  readonly isRoot: boolean;
}

interface Known {
  readonly signature: string;
  readonly folders: readonly string[];
  readonly places: readonly string[];
  readonly isTree: boolean;
  readonly isClosed: boolean;
  /** The number of the last scan that saw the folder. */
  seenIn: number;
}

const skipped: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Tidegate's own folder, only at the top of a root: agents can create others. */
const ownFolder = '.tidegate';
/** Above this number, folders are read each time: slower, but none is left out. */
const usualMaxKnown = 1_000_000;
/** A change in the same clock tick as the read would not show in the folder's times. */
const settledMs = 2000;

/**
 * Looks at every folder of the roots: with a limit, agents could use it up and hide the rest. Reads a folder again only
 * if its inode or times changed, and yields to other callers. Simultaneous calls share one scan.
 */
export function createWorkspaceScan(
  roots: readonly string[],
  protectedPaths: (root: string) => readonly string[],
  maxKnown = usualMaxKnown,
): ScanWorkspace {
  const known = new Map<string, Known>();
  let scanNumber = 0;

  const look = (path: string, rows: ReadonlyMap<string, readonly string[]>): Known | undefined => {
    const found = lstatOf(path);
    if (found?.isDirectory() !== true) return undefined;
    const signature = [found.ino, found.mtimeNs, found.ctimeNs].join(':');
    const before = known.get(path);
    if (before !== undefined) before.seenIn = scanNumber;
    if (before?.signature === signature) return before;
    const entries = entriesOf(path);
    const isClosed = entries === undefined && Number(found.uid) === process.getuid?.();
    const now = { signature, seenIn: scanNumber, isClosed, ...sortEntries(entries ?? [], rows) };
    known.delete(path);
    if (Date.now() - Number(found.ctimeMs) > settledMs && known.size < maxKnown) known.set(path, now);
    return now;
  };

  const scanRoot = async (root: string, takeBreak: () => Promise<void>): Promise<WorkspaceScan> => {
    const rows = byFirstName(protectedPaths(root));
    const trees: string[] = [];
    const places: string[] = [];
    const oddTrees: string[] = [];
    const closed: string[] = [];
    const folders: Folder[] = [{ path: root, isPlace: false, isRoot: true }];
    // Grows during the loop.
    for (const { path, isPlace, isRoot } of folders) {
      await takeBreak();
      const found = look(path, rows);
      if (found === undefined) continue;
      if (found.isClosed) closed.push(path);
      if (found.isTree && !isRoot) (isOddPath(path) ? oddTrees : trees).push(path);
      const hits = isRoot || isPlace ? [] : found.places;
      for (const name of hits)
        places.push(...(rows.get(name) ?? []).flatMap((rest) => placeIn(join(path, name), rest)));
      for (const name of found.folders.filter((one) => !isRoot || one !== ownFolder))
        folders.push({ path: join(path, name), isPlace: isPlace || rows.has(name), isRoot: false });
    }
    return { trees, places, oddTrees, closed };
  };

  const forgetGone = async (takeBreak: () => Promise<void>): Promise<void> => {
    for (const [path, { seenIn }] of known) {
      await takeBreak();
      if (seenIn !== scanNumber) known.delete(path);
    }
  };

  return shareRuns(async () => {
    const takeBreak = createBreaks();
    scanNumber += 1;
    const scans: WorkspaceScan[] = [];
    for (const root of roots) scans.push(await scanRoot(root, takeBreak));
    await forgetGone(takeBreak);
    return {
      trees: [...new Set(scans.flatMap(({ trees }) => trees))],
      places: [...new Set(scans.flatMap(({ places }) => places))],
      oddTrees: [...new Set(scans.flatMap(({ oddTrees }) => oddTrees))],
      closed: [...new Set(scans.flatMap(({ closed }) => closed))],
    };
  });
}

/** The folder was just listed, so it exists. */
function placeIn(path: string, rest: string): readonly string[] {
  if (rest === '') return [path];
  const place = join(path, rest);
  return existsSync(place) ? [place] : [];
}

function sortEntries(
  entries: readonly Entry[],
  rows: ReadonlyMap<string, readonly string[]>,
): Pick<Known, 'folders' | 'places' | 'isTree'> {
  const names = new Set(entries.map(({ name }) => name));
  return {
    folders: entries.filter((entry) => entry.isDirectory && !skipped.has(entry.name)).map(({ name }) => name),
    places: [...names].filter((name) => rows.has(name)),
    isTree: names.has('.git') || isRepository((name) => names.has(name)),
  };
}

/** Whether git treats a folder as a repository, whatever its name. */
export function isRepository(has: (name: string) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/** Maps the first name of each row to the rest, which is empty for most. */
function byFirstName(protectedPaths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const rows = new Map<string, string[]>();
  for (const path of protectedPaths) {
    const [first = '', ...rest] = path.replace(/\/$/, '').split('/');
    if (first === '.git' || first === '') continue;
    rows.set(first, [...(rows.get(first) ?? []), rest.join('/')]);
  }
  return rows;
}

function lstatOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(pathForDisk(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** Undefined if the folder can't be listed. */
function entriesOf(folder: string): readonly Entry[] | undefined {
  try {
    const entries = readdirSync(pathForDisk(folder), { withFileTypes: true, encoding: 'buffer' });
    return entries.map((entry) => ({ name: textOfName(entry.name), isDirectory: entry.isDirectory() }));
  } catch {
    return undefined;
  }
}
