import { dirname, join } from 'node:path';
import { codePackageAt, codeTreeAt, pythonPackageAt } from './package-digest.js';
import { importableIn } from './python-path.js';
import type { Reach } from './reach.js';
import type { Search } from './search.js';
import { statsOf } from './stats-of.js';
import { isWithin, realOf } from './workspace-paths.js';

/** Adds everything that a text can reach without naming it. `own`: the folder of its file. */
export function addReach(search: Search, reach: Reach, bases: readonly string[], own?: string): void {
  const { found } = search;
  if (reach === 'nothing') return;
  const given = [...(own === undefined ? [] : [own]), ...(reach === 'own' ? [] : bases)];
  const folders = given.map((folder) => found.onWay(folder));
  const around = found.roots.filter((root) => reach === 'root' && folders.some((one) => isWithin(one, root)));
  for (const folder of around.length > 0 ? around : folders) addReached(search, folder);
}

/** Includes what its files load from outside the folder. */
function addReached(search: Search, folder: string): void {
  const { found } = search;
  if (!found.isNew('reached', folder)) return;
  addTree(search, folder, codeTreeAt);
  if (!found.isOurs(folder) || statsOf(folder)?.isDirectory() !== true) return;
  const { names, beyond } = codePackageAt(folder);
  if (names.length > 0) found.notes.noteScope(folder);
  for (const name of names) search.addPackage(dirname(folder), name);
  for (const path of beyond.filter((one) => !isWithin(realOf(one), folder)))
    if (statsOf(path)?.isDirectory() === true) addReached(search, realOf(path));
    else search.addNamed(dirname(path), path);
}

/** Adds everything in a folder, including files that are created later. */
export function addTree({ found }: Search, folder: string, digest: (folder: string) => string): void {
  const name = join(folder, '**');
  if (!found.files.has(name) && found.isOurs(folder) && statsOf(folder)?.isDirectory() === true)
    found.keep(name, digest(folder));
}

/** Adds what Python could import from a folder on its path. */
export function addImportable(search: Search, folder: string): void {
  const { found } = search;
  if (!found.isOurs(folder) || !found.isNew('python', folder)) return;
  const { modules, packages } = importableIn(folder);
  const wasLoaded = found.isLoaded;
  found.isLoaded = false;
  for (const path of modules) search.addFile(path);
  found.isLoaded = wasLoaded;
  for (const given of packages) {
    const path = found.onWay(given);
    if (found.isChosen(given, path)) found.keepChoice(given, path);
    else if (found.isOurs(path)) found.keep(join(path, '**', '*.py'), pythonPackageAt(path));
  }
}
