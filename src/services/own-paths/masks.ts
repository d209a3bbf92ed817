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
 * Inside a root, SQLite creates files beside the store while a command runs, and a mount can't cover a file that does
 * not exist yet. So this hides the whole folder there, and only existing files elsewhere.
 */
function masksOfStore(file: string, { roots }: ResolvedPlaces): readonly string[] {
  const folder = dirname(file);
  if (roots.some((root) => isInside(folder, root) && folder !== root)) return [folder];
  return withCompanions(file);
}

/** Each mask is a mount, and commands can create any number of matching names. */
const maxLogs = 32;

/** The log, then its companions, oldest first by ctime, which commands can't set. */
function logFiles(file: string): readonly string[] {
  const ages = new Map(withCompanions(file).map((path) => [path, statsOf(path)?.ctimeNs ?? 0n]));
  const isOlder = (one: string, other: string) => (ages.get(one) ?? 0n) < (ages.get(other) ?? 0n);
  const others = [...ages.keys()].filter((path) => path !== file);
  others.sort((one, other) => (isOlder(one, other) ? -1 : 1));
  return [...(ages.has(file) ? [file] : []), ...others.slice(0, maxLogs)];
}

/** True for a store directly in a root: hiding its folder would hide the workspace. */
export function isStoreExposed(file: string, { roots }: ResolvedPlaces): boolean {
  const folder = dirname(file);
  return roots.some((root) => isInside(file, root) && isInside(root, folder));
}

/** A hidden folder also hides its content. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

/**
 * False for links: a mount can't cover a link, and the paths already include its target. True if the path can't be
 * read: a command may have removed a folder's permissions, and can restore them.
 */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
  } catch {
    return true;
  }
}
