import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OwnMasks } from '../../ports/own-paths.js';
import { statsOf, withCompanions } from './identities.js';
import { isInside, type ResolvedPlaces } from './own-places.js';

export function findMasks(places: ResolvedPlaces, seesGoverning: boolean): OwnMasks {
  const governing = places.governing.filter(isThere);
  const logs = places.logs.flatMap(logFiles).filter(isThere);
  const [own = '', ...others] = places.stateDirs.filter(isThere);
  return {
    hidden: outermost([
      ...(own === '' ? [] : [own]),
      ...others,
      ...places.stores.flatMap((file) => masksOfStore(file, places)),
      ...logs,
      ...(seesGoverning ? [] : governing),
    ]),
    fixed: [...(seesGoverning ? governing : []), ...places.program.filter(isThere)],
    byName: [...logs, ...others, ...governing],
    absent: places.absent,
    output: places.output,
  };
}

/**
 * Where commands can write, SQLite's own files come and go beside the store while a command runs, and a mount cannot lie
 * on what does not exist yet: so the whole folder is hidden. Elsewhere only what is there now.
 */
function masksOfStore(file: string, { roots }: ResolvedPlaces): readonly string[] {
  const folder = dirname(file);
  if (roots.some((root) => isInside(folder, root) && folder !== root)) return [folder];
  return withCompanions(file);
}

/** Each mask is a mount, and commands can make any number of such names. */
const maxLogs = 32;

/** The log and those beside it, the oldest first: commands cannot set the time that counts. */
function logFiles(file: string): readonly string[] {
  const ages = new Map(withCompanions(file).map((path) => [path, statsOf(path)?.ctimeNs ?? 0n]));
  const isOlder = (one: string, other: string) => (ages.get(one) ?? 0n) < (ages.get(other) ?? 0n);
  const others = [...ages.keys()].filter((path) => path !== file);
  others.sort((one, other) => (isOlder(one, other) ? -1 : 1));
  return [...(ages.has(file) ? [file] : []), ...others.slice(0, maxLogs)];
}

/** True for a store whose folder cannot be hidden, because the work is in it. */
export function isStoreExposed(file: string, { roots }: ResolvedPlaces): boolean {
  const folder = dirname(file);
  return roots.some((root) => isInside(file, root) && isInside(root, folder));
}

/** What lies in a hidden folder is hidden with it. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

/**
 * A link cannot be mounted over; what it leads to is among the paths. What can't be looked at counts as there: a command
 * may have closed a folder on the way, and can open it again.
 */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
  } catch {
    return true;
  }
}
