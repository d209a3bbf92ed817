import { type BigIntStats, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What stands in protected places: each file and link, with what tells it from every other that could stand there. */
export type Snapshot = ReadonlyMap<string, string>;

export interface Changes {
  readonly created: readonly string[];
  /** Or removed. */
  readonly changed: readonly string[];
}

const maxFiles = 5000;
const maxDepth = 12;

/** Of `places` all that is in them, of `alone` only what is no folder. Empty folders make nobody do anything. */
export function takeSnapshot(places: Iterable<string>, alone: Iterable<string> = []): Snapshot {
  const files = new Map<string, string>();
  for (const place of places) look(files, place.replace(/\/$/, ''), 0);
  for (const path of alone) look(files, path, maxDepth);
  return files;
}

export function compareSnapshots(before: Snapshot, after: Snapshot): Changes {
  const created = [...after.keys()].filter((path) => !before.has(path));
  const changed = [...before].filter(([path, signature]) => after.get(path) !== signature);
  return { created, changed: changed.map(([path]) => path) };
}

function look(files: Map<string, string>, path: string, depth: number): void {
  if (files.size >= maxFiles || isHarmless(path)) return;
  const found = lstatNow(path);
  if (found === undefined) return;
  if (!found.isDirectory()) return void files.set(path, signatureOf(path, found));
  if (depth === maxDepth) return;
  for (const name of namesIn(path)) look(files, join(path, name), depth + 1);
}

/** What this room itself keeps there, and git's examples, which it never runs. */
function isHarmless(path: string): boolean {
  const [folder, name] = [basename(dirname(path)), basename(path)];
  return (folder === '.tidegate' && name === 'output') || (folder === 'hooks' && name.endsWith('.sample'));
}

function signatureOf(path: string, found: BigIntStats): string {
  const own = [found.ino, found.mode, found.size, found.mtimeNs, found.ctimeNs].join(':');
  if (!found.isSymbolicLink()) return own;
  try {
    const target = statSync(path, { bigint: true });
    return [readlinkSync(path), target.ino, target.size, target.mtimeNs].join(':');
  } catch {
    // It leads nowhere.
    return own;
  }
}

function lstatNow(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A file stands where a folder on the way would be.
    return undefined;
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // Removed meanwhile.
    return [];
  }
}
