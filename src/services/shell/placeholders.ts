import { lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Missing {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/**
 * Empty files and folders in place of protected ones that do not exist: a mount needs something to lie on.
 * They are there while a command runs, and gone after the last one, unless somebody filled them.
 */
export interface Placeholders {
  /** Parents first. The returned function gives them back. */
  hold(missing: readonly Missing[]): () => void;
}

interface Held extends Missing {
  users: number;
  readonly identity: string;
}

/** The record tells the next start what to remove if this gate dies first. */
export function createPlaceholders(recordFile: string): Placeholders {
  const held = new Map<string, Held>();

  const take = ({ path, kind }: Missing): boolean => {
    const known = held.get(path);
    if (known !== undefined) {
      known.users += 1;
      return true;
    }
    const identity = make(path, kind);
    if (identity !== undefined) held.set(path, { path, kind, identity, users: 1 });
    return identity !== undefined;
  };
  const giveBack = (path: string) => {
    const known = held.get(path);
    if (known === undefined) return;
    known.users -= 1;
    if (known.users > 0) return;
    held.delete(path);
    remove(known);
  };

  return {
    hold(missing) {
      if (missing.length === 0) return () => {};
      const taken: string[] = [];
      record(recordFile, [...held.values(), ...missing]);
      for (const one of missing) if (take(one)) taken.push(one.path);
      return () => {
        for (const path of taken.splice(0).reverse()) giveBack(path);
        record(recordFile, [...held.values()]);
      };
    },
  };
}

/** Removes what a dead gate could not. Only what is empty goes, so a wrong record costs nothing. */
export function removeRecorded(recordFile: string): void {
  try {
    const recorded: unknown = JSON.parse(readFileSync(recordFile, 'utf8'));
    if (!Array.isArray(recorded)) return;
    for (const one of recorded.reverse()) if (isMissing(one)) remove(one);
  } catch {
    // There is none, which is the usual case, or it was cut off: what is left is empty and harmless.
  }
}

/** Undefined when somebody else made it in the meantime: then it is not ours to remove. */
function make(path: string, kind: Missing['kind']): string | undefined {
  try {
    if (kind === 'folder') mkdirSync(path);
    else writeFileSync(path, '', { flag: 'wx' });
    return identityOf(path);
  } catch {
    return undefined;
  }
}

function remove({ path, kind, identity }: Missing & { readonly identity?: string }): void {
  try {
    if (kind === 'folder') return rmdirSync(path);
    const now = lstatSync(path);
    const isOurs = identity === undefined || identityOf(path) === identity;
    if (now.isFile() && now.size === 0 && isOurs) unlinkSync(path);
  } catch {
    // Filled, replaced or removed by somebody: it is theirs now.
  }
}

function identityOf(path: string): string {
  const { dev, ino } = lstatSync(path);
  return `${dev}:${ino}`;
}

function record(file: string, missing: readonly Missing[]): void {
  if (missing.length === 0) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const plain = missing.map(({ path, kind }) => ({ path, kind }));
  writeFileSync(file, JSON.stringify(plain), { mode: 0o600 });
}

function isMissing(value: unknown): value is Missing {
  if (typeof value !== 'object' || value === null || !('path' in value && 'kind' in value)) return false;
  return typeof value.path === 'string' && (value.kind === 'file' || value.kind === 'folder');
}
