import { type BigIntStats, lstatSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { createBreaks } from './breaks.js';

/**
 * The contents of protected places: each file and link, with a signature that distinguishes it from any other at that
 * path.
 */
export interface Snapshot {
  readonly files: ReadonlyMap<string, Sign>;
  /** There was more than the limits allow. */
  readonly isPartial: boolean;
  /** Milliseconds. */
  readonly takenAt: number;
}

interface Sign {
  readonly signature: string;
  /** Commands can't set this time. */
  readonly changedAt: number;
}

export interface Changes {
  readonly created: readonly string[];
  /** Changed or removed. */
  readonly changed: readonly string[];
}

const maxFiles = 5000;
/** Counts all files and folders, including those that are not recorded. */
const usualMaxLooks = 20_000;
const maxDepth = 12;
/** The file system clock ticks more slowly than ours. */
const tickMs = 20;

interface Looking {
  readonly files: Map<string, Sign>;
  readonly takeBreak: () => Promise<void>;
  left: number;
  isPartial: boolean;
}

/**
 * Records everything in `places`, and `alone` only if it is not a folder. Empty folders don't count, because they have
 * no effect. Yields to other calls, and takes paths in the given order.
 */
export async function takeSnapshot(
  places: Iterable<string>,
  alone: Iterable<string> = [],
  maxLooks = usualMaxLooks,
): Promise<Snapshot> {
  const takenAt = Date.now();
  const looking: Looking = { files: new Map(), takeBreak: createBreaks(), left: maxLooks, isPartial: false };
  for (const place of places) await look(looking, place.replace(/\/$/, ''), 0);
  for (const path of alone) await look(looking, path, maxDepth);
  const { files, isPartial } = looking;
  return { files, isPartial, takenAt };
}

/** If `after` missed a file, compares its current state; if `before` did, its change time tells whether it is new. */
export function compareSnapshots(before: Snapshot, after: Snapshot): Changes {
  const isNew = ({ changedAt }: Sign): boolean => !before.isPartial || changedAt >= before.takenAt - tickMs;
  const created = [...after.files].filter(([path, sign]) => !before.files.has(path) && isNew(sign));
  const changed = [...before.files].filter(([path, { signature }]) => {
    const now = after.files.get(path) ?? (after.isPartial ? signOf(path) : undefined);
    return now?.signature !== signature;
  });
  return { created: created.map(([path]) => path), changed: changed.map(([path]) => path) };
}

async function look(looking: Looking, path: string, depth: number): Promise<void> {
  if (isHarmless(path)) return;
  if (looking.files.size >= maxFiles || looking.left <= 0) {
    looking.isPartial = true;
    return;
  }
  looking.left -= 1;
  await looking.takeBreak();
  const found = lstatNow(path);
  if (found === undefined) return;
  if (!found.isDirectory()) return void looking.files.set(path, signatureOf(path, found));
  if (depth === maxDepth) return;
  for (const name of namesIn(path)) {
    if (looking.isPartial) return;
    await look(looking, join(path, name), depth + 1);
  }
}

function signOf(path: string): Sign | undefined {
  const found = lstatNow(path);
  return found === undefined || found.isDirectory() ? undefined : signatureOf(path, found);
}

/** Tidegate's own output, and git's sample hooks, which git never runs. */
function isHarmless(path: string): boolean {
  const [folder, name] = [basename(dirname(path)), basename(path)];
  return (folder === '.tidegate' && name === 'output') || (folder === 'hooks' && name.endsWith('.sample'));
}

function signatureOf(path: string, found: BigIntStats): Sign {
  const changedAt = Number(found.ctimeMs);
  const own = [found.ino, found.mode, found.size, found.mtimeNs, found.ctimeNs].join(':');
  if (!found.isSymbolicLink()) return { signature: own, changedAt };
  try {
    const target = statSync(path, { bigint: true });
    const signature = [readlinkSync(path), target.ino, target.size, target.mtimeNs].join(':');
    return { signature, changedAt };
  } catch {
    // The link is broken.
    return { signature: own, changedAt };
  }
}

function lstatNow(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A parent of the path is a file.
    return undefined;
  }
}
