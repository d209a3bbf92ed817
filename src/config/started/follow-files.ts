import { resolve } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { fromUrl, moduleFiles, startsOf } from './named-files.js';
import { addEnvironmentOf } from './python-path.js';
import { refusePartialName } from './record-names.js';
import type { Search } from './search.js';
import { statsOf } from './stats-of.js';
import { packageFolderOf, readRegular, realOf } from './workspace-paths.js';

/** Adds a file and what its text loads. A file of an installed package adds the whole package. */
export function addFile(search: Search, given: string): void {
  const { found, gathering, leftOut } = search;
  if (gathering.isStart && found.isNew('environment', given)) addEnvironmentOf(given, gathering);
  if (found.statsIfThere(given) === undefined) return;
  const path = realOf(given);
  if (found.isChosen(given, path)) return found.keepChoice(given, path);
  const isFirst = gathering.isStart && found.isLoaded && found.isNew('loaded', path);
  if ((found.files.has(path) && !isFirst) || !found.isOurs(path) || leftOut.isFile(path)) return;
  const stats = statsOf(path);
  if (stats === undefined || stats.isDirectory()) return;
  // Data from a pipe or device can't be verified: an agent at the other end controls it.
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  refusePartialName(path);
  found.noteWay(given, path);
  const home = packageFolderOf(path);
  if (home !== undefined) return search.addWhole(home);
  const bytes = readRegular(path);
  found.keep(path, sha256Of(bytes));
  if (found.limits.isScanned(path, bytes)) search.follow(path, bytes.toString('utf8'));
}

/** Adds the file with this name, or what interpreters load instead. */
export function addNamed(search: Search, folder: string, name: string, isFileOnly = false): void {
  const { found } = search;
  const path = resolve(folder, fromUrl(name));
  if (!found.isNewName(isFileOnly ? 'file' : 'module', path)) return;
  const stats = found.statsIfThere(path);
  if (stats?.isFile() === true) return addFile(search, path);
  if (isFileOnly) return;
  const files = moduleFiles(path).filter((one) => found.isThere(one));
  if (files.length === 0 && stats === undefined) found.limits.countMissing();
  for (const one of files) addFile(search, one);
  if (stats?.isDirectory() === true) for (const start of startsOf(path)) addFile(search, start.path);
}
