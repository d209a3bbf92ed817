import { type BigIntStats, lstatSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { createBreaks } from './breaks.js';

/** What stands in protected places: each file and link, with what tells it from every other that could stand there. */
export interface Snapshot {
  readonly files: ReadonlyMap<string, Sign>;
  /** There was more than is looked at. */
  readonly isPartial: boolean;
  /** Milliseconds. */
  readonly takenAt: number;
}

interface Sign {
  readonly signature: string;
  /** No command can set this time. */
  readonly changedAt: number;
}

export interface Changes {
  readonly created: readonly string[];
  /** Or removed. */
  readonly changed: readonly string[];
}

const maxFiles = 5000;
/** Files and folders, also those that count for nothing. */
const usualMaxLooks = 20_000;
const maxDepth = 12;
/** The clock of files ticks more slowly than ours. */
const tickMs = 20;

interface Looking {
  readonly files: Map<string, Sign>;
  readonly takeBreak: () => Promise<void>;
  left: number;
  isPartial: boolean;
}

/**
 * Of `places` all that is in them, of `alone` only what is no folder. Empty folders make nobody do anything. Others are
 * served in between, and what comes first is looked at first.
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

/** A file that one of them did not get to is compared with what it is now, or told from an older one by its time. */
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

/** What this room itself keeps there, and git's examples, which it never runs. */
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
    // It leads nowhere.
    return { signature: own, changedAt };
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
