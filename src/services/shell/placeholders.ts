import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Missing {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/**
 * Empty files and folders in place of protected ones that do not exist: a mount needs something to lie on.
 * They are there while a command runs, and gone after the last one, unless somebody filled them.
 */
export interface Placeholders {
  /** What looks as if it existed, but is held by a command of this or another gate. */
  held(): ReadonlySet<string>;
  /** Parents first. The returned function gives them back. */
  hold(missing: readonly Missing[]): () => void;
}

interface Held extends Missing {
  readonly users: number;
}

export const recordName = 'placeholders.json';

/**
 * Each gate keeps a record of what it holds, in a folder of its own beside those of the others: so that the last
 * one removes it, and the next start does it for those that died.
 */
export function createPlaceholders(recordFile: string): Placeholders {
  const own = new Map<string, Held>();

  const giveBack = (paths: readonly string[]) => {
    const unused: Held[] = [];
    for (const path of paths) {
      const known = own.get(path);
      if (known === undefined) continue;
      if (known.users > 1) own.set(path, { ...known, users: known.users - 1 });
      else unused.push(known);
      if (known.users === 1) own.delete(path);
    }
    if (unused.length === 0) return;
    record(recordFile, [...own.values()]);
    const others = heldByOthers(recordFile);
    for (const one of unused) if (!others.has(one.path)) remove(one);
  };

  return {
    held: () => new Set([...own.keys(), ...heldByOthers(recordFile)]),
    hold(missing) {
      const fresh = missing.filter(({ path }) => !own.has(path));
      for (const one of missing) own.set(one.path, { ...one, users: (own.get(one.path)?.users ?? 0) + 1 });
      // First the record, so that no other gate removes what it finds here.
      if (fresh.length > 0) record(recordFile, [...own.values()]);
      for (const one of missing) make(one);
      const paths = missing.map(({ path }) => path).reverse();
      return () => giveBack(paths.splice(0));
    },
  };
}

/** Removes what a dead gate could not. Only what is empty goes, so a wrong record costs nothing. */
export function removeRecorded(recordFile: string): void {
  const others = heldByOthers(recordFile);
  for (const one of [...readRecord(recordFile)].reverse()) if (!others.has(one.path)) remove(one);
}

function heldByOthers(recordFile: string): ReadonlySet<string> {
  const all = dirname(dirname(recordFile));
  const own = basename(dirname(recordFile));
  const others = namesIn(all).filter((name) => name !== own);
  return new Set(others.flatMap((name) => readRecord(join(all, name, recordName)).map(({ path }) => path)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function make({ path, kind }: Missing): void {
  try {
    if (kind === 'folder') mkdirSync(path);
    else writeFileSync(path, '', { flag: 'wx' });
  } catch {
    // It is there already, or cannot be; in a folder that we cannot write to, commands cannot either.
  }
}

function remove({ path, kind }: Missing): void {
  try {
    if (kind === 'folder') return rmdirSync(path);
    const now = lstatSync(path);
    if (now.isFile() && now.size === 0) unlinkSync(path);
  } catch {
    // Filled, replaced or removed by somebody: it is theirs now.
  }
}

function record(file: string, missing: readonly Missing[]): void {
  if (missing.length === 0) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const plain = missing.map(({ path, kind }) => ({ path, kind }));
  writeFileSync(file, JSON.stringify(plain), { mode: 0o600 });
}

function readRecord(file: string): readonly Missing[] {
  try {
    const recorded: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(recorded) ? recorded.filter(isMissing) : [];
  } catch {
    // There is none, which is the usual case, or it is being written: what it names is empty and harmless.
    return [];
  }
}

function isMissing(value: unknown): value is Missing {
  if (typeof value !== 'object' || value === null || !('path' in value && 'kind' in value)) return false;
  return typeof value.path === 'string' && (value.kind === 'file' || value.kind === 'folder');
}
