import { lstatSync } from 'node:fs';
import type { OwnMasks } from '../../ports/own-paths.js';

/** Tells files of ours from files that a command gave such a name. */
export interface KnownNames {
  /**
   * The masks without files that came to be while a command runs which can still exchange them. Refusing every command
   * instead would let one caller stop all others. `isSteady`: no running command can exchange the path.
   */
  settle(own: OwnMasks, isSteady: (path: string) => boolean): OwnMasks;
}

export function createKnownNames(log: (line: string) => void): KnownNames {
  /** Files that were there when no command could have just made them, as `dev:ino`. No command can rename these. */
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
  return `${path} was created while a command ran, and its name is one of Tidegate's. Commands can read and change it until that command has ended.`;
}

function identityOf(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
}
