import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { endings, startsOf } from './named-files.js';
import { packageAt } from './package-digest.js';
import { scopeOf, targetsOf } from './package-names.js';
import { partialName } from './record-names.js';
import type { Search } from './search.js';
import { statsOf } from './stats-of.js';
import { isInstalled, realOf } from './workspace-paths.js';

/** Adds a package by its name, as a file in that folder finds it. */
export function addPackage(search: Search, folder: string, name: string): void {
  const { found, gathering, leftOut } = search;
  if (leftOut.isModule(name, folder) || !found.isNew(folder, name)) return;
  found.isNewName('package', folder, name);
  if (name.startsWith('#')) return addOwn(search, folder);
  const [scope = '', inner = ''] = name.split('/');
  const own = scope.startsWith('@') ? `${scope}/${inner}` : scope;
  const rest = name.slice(own.length + 1);
  if (!isInstalled(folder)) addOwn(search, folder, own);
  for (const at of gathering.moduleFolders) {
    search.addNamed(at, `./${name}`);
    const place = join(at, own);
    if (found.statsIfThere(place)?.isDirectory() === true) addInstalled(search, place, rest);
  }
  addNearest(search, folder, own, rest);
}

/** Searches `node_modules` of the folder and of every folder above. */
function addNearest(search: Search, folder: string, own: string, rest: string): void {
  const { found } = search;
  const nearer: string[] = [];
  let isFound = false;
  for (let at = folder; ; at = dirname(at)) {
    const place = join(at, 'node_modules', own);
    if (found.statsIfThere(place)?.isDirectory() === true) {
      isFound = true;
      addInstalled(search, place, rest);
      // `require` looks further up if the folder is not a package.
      if (statsOf(join(place, 'package.json')) !== undefined) return found.notes.noteNearer(nearer, true);
    }
    if (found.isThere(dirname(place))) for (const end of endings) search.addFile(`${place}${end}`);
    nearer.push(at);
    if (at !== dirname(at)) continue;
    if (!isFound) found.limits.countMissing();
    return found.notes.noteNearer(nearer, false);
  }
}

function addInstalled(search: Search, place: string, inner: string): void {
  const { found } = search;
  const folder = realOf(place);
  if (found.isChosen(place, folder)) return found.keepChoice(place, folder);
  if (!found.isOurs(folder)) return;
  found.noteWay(place, folder);
  if (isInstalled(folder)) return addWhole(search, folder);
  addWorkedOn(search, folder);
  for (const start of startsOf(folder)) search.addFile(start.path);
  if (inner !== '') search.addNamed(folder, `./${inner}`);
}

/** A package that is linked from elsewhere in the workspace is being worked on, so only what is loaded of it counts. */
function addWorkedOn(search: Search, folder: string): void {
  const file = join(folder, 'package.json');
  if (!search.found.isNew(file)) return;
  search.addFile(file);
  for (const target of targetsOf(file))
    if (target.includes('*'))
      addWhole(search, join(folder, target.slice(0, target.indexOf('*')).replace(/[^/]*$/, '')));
    else {
      search.addNamed(folder, target);
      // Names that begin with `#` may resolve to packages.
      if (/^[@\w]/.test(target)) addPackage(search, folder, target);
    }
}

/** The package that a folder belongs to: for `#` names, and for files that import it by its own name. */
function addOwn(search: Search, folder: string, name?: string): void {
  const { found } = search;
  for (let at = folder; found.isOurs(at); at = dirname(at)) {
    const file = join(at, 'package.json');
    if (found.statsIfThere(file)?.isFile() !== true) continue;
    if (name === undefined || found.packageName(file) === name) addWorkedOn(search, at);
    return;
  }
}

/** Adds a package or folder as a whole, and what it loads from outside. */
export function addWhole(search: Search, folder: string): void {
  const { found } = search;
  if (found.files.has(folder) || !found.isOurs(folder)) return;
  const { sha256, names, beyond, isComputed } = packageAt(folder);
  found.keep(folder, sha256);
  if (isComputed) found.computed.add(folder);
  if ((isComputed || names.length > 0) && !isInstalled(folder)) found.notes.noteScope(folder);
  for (const name of names) addPackage(search, folder, name);
  for (const path of beyond) {
    const isFolder = statsOf(path)?.isDirectory() === true;
    if (isFolder && lstatSync(path).isSymbolicLink()) addInstalled(search, path, '');
    else search.addNamed(dirname(path), path);
  }
}

/** The nearest `package.json` decides how files are loaded, whatever else it contains. */
export function addScope({ found }: Search, folder: string): void {
  for (let at = folder; found.isOurs(at) && found.isNew('scope', at); at = dirname(at)) {
    const file = join(at, 'package.json');
    if (statsOf(file)?.isFile() !== true) continue;
    return found.keep(partialName(file), sha256Of(scopeOf(file)));
  }
}
