import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { emptyGroup } from './cgroup.js';
import { cgroupHome } from './cgroup-hierarchies.js';

/**
 * Empty folders in place of missing protected ones, because a mount needs a target. They exist while a command runs;
 * the last command removes them unless they have content. Command cgroups are handled the same way.
 */
export interface Placeholders {
  /** Paths that exist only because a command of this or another gateway holds them. */
  held(): ReadonlySet<string>;
  /** Takes parents first. The returned function releases them. */
  hold(missing: readonly string[]): () => void;
}

/** One path per line, as JSON. The reaper reads it too: see `reaper-scripts.ts`. */
export const recordName = 'folders.jsonl';

/**
 * Each gateway records what it holds in its own folder beside the other gateways' folders. So the last holder removes a
 * placeholder, and the next start removes those of dead gateways.
 */
export function createPlaceholders(recordFile: string): Placeholders {
  /** The number of commands that need each path. */
  const own = new Map<string, number>();

  const giveBack = (paths: readonly string[]) => {
    const unused = paths.filter((path) => own.get(path) === 1);
    for (const path of paths) own.set(path, (own.get(path) ?? 1) - 1);
    for (const path of unused) own.delete(path);
    if (unused.length === 0) return;
    try {
      record(recordFile, [...own.keys()]);
    } catch {
      // On a full disk the old record stays. It lists more than is held, but only empty folders are removed.
    }
    const others = heldByOthers(recordFile);
    for (const path of unused) if (!others.has(path)) remove(path);
  };

  return {
    held: () => new Set([...own.keys(), ...heldByOthers(recordFile)]),
    hold(missing) {
      const isNew = missing.some((path) => !own.has(path));
      for (const path of missing) own.set(path, (own.get(path) ?? 0) + 1);
      // Record first, so that no other gateway removes these folders.
      if (isNew) record(recordFile, [...own.keys()]);
      for (const path of missing) make(path);
      const held = [...missing].reverse();
      return () => giveBack(held.splice(0));
    },
  };
}

/** Removes what a dead gateway left. Only empty folders are removed, so a wrong record does no harm. */
export async function removeRecorded(recordFile: string): Promise<void> {
  const others = heldByOthers(recordFile);
  for (const path of [...readRecord(recordFile)].reverse()) {
    if (others.has(path)) continue;
    if (path.startsWith(`${cgroupHome}/`)) await emptyGroup(path);
    remove(path);
  }
}

/** Recorded paths of a dead gateway that still exist. */
export function stillRecorded(recordFile: string): readonly string[] {
  const others = heldByOthers(recordFile);
  return readRecord(recordFile).filter((path) => !others.has(path) && existsSync(path));
}

function heldByOthers(recordFile: string): ReadonlySet<string> {
  const all = dirname(dirname(recordFile));
  const own = basename(dirname(recordFile));
  const others = namesIn(all).filter((name) => name !== own);
  return new Set(others.flatMap((name) => readRecord(join(all, name, recordName))));
}

function make(path: string): void {
  try {
    mkdirSync(path);
  } catch {
    // The folder exists or can't be created. If we can't write to its parent, commands can't either.
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another program filled, replaced or removed the folder, so it is no longer ours.
  }
}

function record(file: string, paths: readonly string[]): void {
  if (paths.length === 0) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lines = paths.map((path) => `${JSON.stringify(path)}\n`).join('');
  // After a kill, the old record is still complete.
  writeFileSync(`${file}.new`, lines, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function readRecord(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line): unknown => JSON.parse(line)).filter((path) => typeof path === 'string');
  } catch {
    // There is no record, which is the usual case, or it is not valid; the folders it lists are empty and harmless.
    return [];
  }
}
