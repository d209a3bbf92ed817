import { accessSync, type BigIntStats, constants, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { companionEnding, type ResolvedPlaces } from './own-places.js';
import { namesIn } from '../../lib/list-folder.js';

const maxFiles = 2000;

/**
 * The hidden files that have more than one hard link, as `dev:ino`. Covers only files at the top of the state folder
 * and its `logins` folder, plus stores, logs and governing files; deeper files are known by path only.
 */
export function identitiesOf(places: ResolvedPlaces, seesGoverning: boolean): ReadonlySet<string> {
  const paths = [
    ...places.stateDirs.flatMap((folder) => [...filesIn(folder), ...filesIn(join(folder, 'logins'))]),
    ...[...places.stores, ...places.logs].flatMap(withCompanions),
    ...(seesGoverning ? [] : places.governing),
  ];
  const found = paths.map(statsOf).filter((stats) => stats?.isFile() === true && stats.nlink > 1n);
  return new Set(found.map((stats) => `${stats?.dev}:${stats?.ino}`));
}

/** The private file and its companions that exist. */
export function withCompanions(file: string): readonly string[] {
  const name = basename(file);
  if (isClosed(dirname(file))) return [file];
  return namesIn(dirname(file))
    .filter((one) => one === name || (one.startsWith(name) && companionEnding.test(one.slice(name.length))))
    .map((one) => join(dirname(file), one));
}

/** True if the folder exists but can't be listed: a command may have removed the permissions, and can restore them. */
function isClosed(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}

function filesIn(folder: string): readonly string[] {
  return namesIn(folder)
    .slice(0, maxFiles)
    .map((name) => join(folder, name));
}

/** Never opens the file: see the README. */
export function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
