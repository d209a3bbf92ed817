import { basename, dirname, join } from 'node:path';
import { linksOnWay } from '../../lib/links-on-way.js';
import type { TrustGuards } from '../trust-file.js';
import { statsOf } from './stats-of.js';
import { isInstalled, isWithin, realOf } from './workspace-paths.js';

/** Paths that decide which code is loaded, in addition to the hashed files. Real paths, all inside the roots. */
export type Guards = TrustGuards;

/** Collects guards while files are gathered. */
export interface GuardNotes {
  /** A path as a program names it. A link can't be mounted over, so the folder of each link on the path is guarded. */
  noteWay(given: string): void;
  /** A file in this folder loads packages by name: the nearest `package.json` can redirect that to any file. */
  noteScope(folder: string): void;
  /** `node_modules` of these folders, nearest first, are searched before the place where the package was found. */
  noteNearer(folders: readonly string[], wasFound: boolean): void;
  /** A folder that is searched as a whole (`NODE_PATH`, `PYTHONPATH`). */
  noteSearched(folder: string): void;
  guards(): Guards;
}

const packages = 'node_modules';

export function createGuardNotes(roots: readonly string[]): GuardNotes {
  const fixed = new Set<string>();
  const absent = new Set<string>();
  const seen = new Set<string>();
  const isOurs = (path: string): boolean => roots.some((root) => isWithin(path, root));
  // Agents work in a root, so it can't be guarded as a whole.
  const isBelowRoot = (path: string): boolean =>
    isOurs(path) && !roots.some((root) => path === root || isWithin(root, path));
  const fix = (path: string): void => {
    if (isBelowRoot(path)) fixed.add(path);
  };
  return {
    noteWay(given) {
      if (seen.has(given)) return;
      seen.add(given);
      for (const link of linksOnWay(given)) if (isOurs(link)) fix(dirname(link));
    },
    noteScope(folder) {
      for (let at = realOf(folder); isOurs(at); at = dirname(at)) {
        const file = join(at, 'package.json');
        absent.add(file);
        if (statsOf(file)?.isFile() === true || at === dirname(at)) return;
      }
    },
    noteNearer(folders, wasFound) {
      // The same for all packages that are found, or missing, at this distance.
      const key = [folders[0], folders.length, wasFound].join('\0');
      if (seen.has(key)) return;
      seen.add(key);
      for (const folder of folders.map(realOf).filter(isOurs)) {
        if (basename(folder) === packages) continue;
        // An empty `@scope/node_modules` would look like a broken package to npm.
        if (isInstalled(folder) && basename(folder).startsWith('@')) fix(folder);
        else if (wasFound || (!roots.includes(folder) && statsOf(join(folder, packages)) === undefined))
          absent.add(join(folder, packages));
      }
    },
    noteSearched(folder) {
      const path = realOf(folder);
      if (statsOf(path) !== undefined) fix(path);
      else if (isBelowRoot(path)) absent.add(path);
    },
    guards: () => ({ fixed: [...fixed].sort(), absent: [...absent].sort() }),
  };
}
