import { lstatSync } from 'node:fs';
import type { OwnMasks } from '../../ports/own-paths.js';

/** Distinguishes Tidegate's files from files that a command gave such a name. */
export interface KnownNames {
  /**
   * Removes masks of files created during a running command that can still replace them. Refusing every command instead
   * would let one caller block all others. `isSteady`: no running command can replace the path.
   */
  settle(own: OwnMasks, isSteady: (path: string) => boolean): OwnMasks;
}

export function createKnownNames(log: (line: string) => void): KnownNames {
  /** Files that existed when no command could have just created them, as `dev:ino`. No command can rename these. */
  let known: ReadonlySet<string> = new Set();
  let told: ReadonlySet<string> = new Set();
  return {
    settle(own, isSteady) {
      const found = own.byName.map((path) => ({ path, id: identityOf(path) }));
      const isKept = ({ path, id }: { path: string; id: string }) => known.has(id) || isSteady(path);
      const open = new Set(found.filter((one) => !isKept(one)).map(({ path }) => path));
      known = new Set(found.filter(isKept).map(({ id }) => id));
      for (const path of open) if (!told.has(path)) log(describe(path));
      told = open;
      if (open.size === 0) return own;
      const isClosed = (path: string) => !open.has(path);
      return { ...own, hidden: own.hidden.filter(isClosed), fixed: own.fixed.filter(isClosed) };
    },
  };
}

function describe(path: string): string {
  return `${path} was created while a command ran, and Tidegate uses that name for its own files. Commands can read and change it until that command has finished.`;
}

function identityOf(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
}
