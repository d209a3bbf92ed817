import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { emptyGroup } from './cgroup.js';
import { cgroupHome } from './cgroup-hierarchies.js';

/**
 * Empty folders in place of protected ones that do not exist: a mount needs something to lie on. They are there
 * while a command runs, and gone after the last one, unless somebody filled them. So are the cgroups of commands.
 */
export interface Placeholders {
  /** What looks as if it existed, but is held by a command of this or another gate. */
  held(): ReadonlySet<string>;
  /** Parents first. The returned function gives them back. */
  hold(missing: readonly string[]): () => void;
}

/** A path in each line, as JSON. The reaper reads it too: see `reaper-scripts.ts`. */
export const recordName = 'folders.jsonl';

/**
 * Each gate keeps a record of what it holds, in a folder of its own beside those of the others: so that the last
 * one removes it, and the next start does it for those that died.
 */
export function createPlaceholders(recordFile: string): Placeholders {
  /** How many commands need each. */
  const own = new Map<string, number>();

  const giveBack = (paths: readonly string[]) => {
    const unused = paths.filter((path) => own.get(path) === 1);
    for (const path of paths) own.set(path, (own.get(path) ?? 1) - 1);
    for (const path of unused) own.delete(path);
    if (unused.length === 0) return;
    try {
      record(recordFile, [...own.keys()]);
    } catch {
      // On a full disk the old record stays: it names more than is held, and what it names is removed only when empty.
    }
    const others = heldByOthers(recordFile);
    for (const path of unused) if (!others.has(path)) remove(path);
  };

  return {
    held: () => new Set([...own.keys(), ...heldByOthers(recordFile)]),
    hold(missing) {
      const isNew = missing.some((path) => !own.has(path));
      for (const path of missing) own.set(path, (own.get(path) ?? 0) + 1);
      // First the record, so that no other gate removes what it finds here.
      if (isNew) record(recordFile, [...own.keys()]);
      for (const path of missing) make(path);
      const held = [...missing].reverse();
      return () => giveBack(held.splice(0));
    },
  };
}

/** Removes what a dead gate could not. Only what is empty goes, so a wrong record costs nothing. */
export async function removeRecorded(recordFile: string): Promise<void> {
  const others = heldByOthers(recordFile);
  for (const path of [...readRecord(recordFile)].reverse()) {
    if (others.has(path)) continue;
    if (path.startsWith(`${cgroupHome}/`)) await emptyGroup(path);
    remove(path);
  }
}

/** What is still there of what a dead gateway recorded. */
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
    // It is there already, or cannot be; in a folder that we cannot write to, commands cannot either.
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Filled, replaced or removed by somebody: it is theirs now.
  }
}

function record(file: string, paths: readonly string[]): void {
  if (paths.length === 0) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lines = paths.map((path) => `${JSON.stringify(path)}\n`).join('');
  // A kill in the middle leaves the record of before, not half of this one.
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
    // There is none, which is the usual case, or it is none of ours: what it names is empty and harmless.
    return [];
  }
}
