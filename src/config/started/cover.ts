import { lstatSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { messageOf } from '../../lib/error-message.js';
import type { Gathering, GatheringOptions, LeftOut } from './gathering.js';
import { createGuardNotes } from './guards.js';
import { createLimits } from './limits.js';
import { createListings } from './listings.js';
import { javaScriptNames, pythonNames } from './module-names.js';
import { endings, fromUrl, moduleFiles, namesIn, startsOf, typedFiles } from './named-files.js';
import { isProgram, shellNames } from './program-files.js';
import { createPackageNames, scopeOf, targetsOf } from './package-names.js';
import { codePackageAt, codeTreeAt, packageAt, pythonPackageAt, treeAt } from './package-digest.js';
import { addEnvironmentOf, importableIn } from './python-path.js';
import { reachOfPython } from './python-reach.js';
import { addEntered, type Reach } from './reach.js';
import { partialName, refusePartialName } from './record-names.js';
import { reachOfShell } from './shell-reach.js';
import { failMissing, statsOf } from './stats-of.js';
import { isInstalled, isWithin, packageFolderOf, readRegular, realOf } from './workspace-paths.js';

export type { Gathering };

const maxFiles = 5_000;
/** Linux reads 256 bytes. */
const longestShebang = 1024;

const nothing: LeftOut = { isFile: () => false, isModule: () => false };

export function createGathering(
  roots: readonly string[],
  { leftOut = nothing, isStart = false }: GatheringOptions = {},
): Gathering {
  const real = roots.map(realOf);
  const seen = new Set<string>();
  const isNew = (...parts: readonly string[]): boolean => {
    const key = parts.join('\0');
    return !seen.has(key) && seen.add(key).size > 0;
  };
  const files = new Map<string, string>();
  const computed = new Set<string>();
  const shellFiles = new Set<string>();
  const notes = createGuardNotes(real);
  /** What only could be imported is hashed; what it could reach counts once something imports it. */
  let isLoaded = true;
  let problem: string | undefined;
  const limits = createLimits();
  const isThere = createListings();
  const statsIfThere = (path: string) => (isThere(path) ? statsOf(path) : undefined);
  const nameOf = createPackageNames();
  const isOurs = (path: string, among = real): boolean => among.some((root) => isWithin(path, root));
  const guarded = (work: () => void): void => {
    try {
      if (problem === undefined) work();
    } catch (error) {
      problem = messageOf(error);
    }
  };

  const gathering: Gathering = {
    roots: real,
    bases: new Set(),
    addFile: (path) => guarded(() => add(path)),
    addText: (path, text) => guarded(() => follow(path, text)),
    addNamed: (folder, name) => guarded(() => addNamed(folder, name)),
    fail: (reason) =>
      guarded(() => {
        throw new Error(reason);
      }),
    addMissing: (path) => guarded(() => failMissing(path, isStart && isOurs(realOf(path)))),
    addPackage: (folder, name) => guarded(() => addBare(folder, name)),
    addFolder: (folder) => guarded(() => addWhole(onWay(folder))),
    addTree: (folder) => guarded(() => addTree(onWay(folder), treeAt)),
    addCodeTree: (folder) => guarded(() => addTree(onWay(folder), codeTreeAt)),
    addReach: (reach, bases, own) => guarded(() => addReach(reach, [...bases], own)),
    noteShell: (path) => shellFiles.add(realOf(path)),
    addImportable: (folder) => guarded(() => addImportable(onWay(folder))),
    moduleFolders: new Set(),
    scripts: new Map(),
    isNewScript: (folder, name) => isNew('script', folder, name),
    countLine: () => {
      guarded(() => limits.countLine());
      return problem === undefined;
    },
    noteSearched: (folder) => notes.noteSearched(folder),
    isStart,
    cover: () => ({
      files: [...files]
        .map(([file, sha256]) => ({ file, sha256 }))
        .sort((a, b) => (a.file < b.file ? -1 : 1)),
      computed: [...computed].sort(),
      guards: notes.guards(),
      ...(problem !== undefined && { problem }),
    }),
  };

  function keep(path: string, sha256: string): void {
    files.set(path, sha256);
    if (files.size > maxFiles)
      throw new Error(`it loads more than ${String(maxFiles)} files of the workspace`);
  }

  function add(given: string): void {
    if (isStart && isNew('environment', given)) addEnvironmentOf(given, gathering);
    if (statsIfThere(given) === undefined) return;
    const path = realOf(given);
    if (isChosen(given, path)) return keepChoice(given, path);
    const isFirst = isStart && isLoaded && isNew('loaded', path);
    if ((files.has(path) && !isFirst) || !isOurs(path) || leftOut.isFile(path)) return;
    const stats = statsOf(path);
    if (stats === undefined || stats.isDirectory()) return;
    // What is read from it cannot be compared: an agent at the other end decides.
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    refusePartialName(path);
    noteWay(given, path);
    const home = packageFolderOf(path);
    if (home !== undefined) return addWhole(home);
    const bytes = readRegular(path);
    keep(path, sha256Of(bytes));
    if (limits.isScanned(path, bytes)) follow(path, bytes.toString('utf8'));
  }

  /** False for a name that was looked up before. */
  function isNewName(...parts: readonly string[]): boolean {
    return isNew('name', String(isLoaded), ...parts) && limits.countName();
  }

  /** What lies outside is the operator's; which of it is used is decided by a link that agents could turn. */
  function isChosen(given: string, path: string): boolean {
    return (
      given !== path && isOurs(given, [...roots, ...real]) && !isOurs(path) && statsOf(path) !== undefined
    );
  }

  function noteWay(given: string, path: string): void {
    if (given !== path) notes.noteWay(given);
  }

  function onWay(given: string): string {
    const path = realOf(given);
    noteWay(given, path);
    return path;
  }

  function keepChoice(link: string, target: string): void {
    notes.noteWay(link);
    keep(link, sha256Of(`link to ${target}`));
  }

  /** What the text of a file says that it loads. */
  function follow(path: string, text: string): void {
    limits.countText(text);
    const folder = dirname(path);
    const [first = ''] = text.slice(0, longestShebang).split('\n', 1);
    const shebang = first.startsWith('#!') ? first.slice(2) : '';
    for (const word of shebang.split(/\s+/).filter((one) => one.includes('/')))
      for (const base of [...gathering.bases, folder]) add(resolve(base, word));
    const isPython = path.endsWith('.py') || /python/.test(shebang);
    if (isPython) {
      if (isStart) {
        addImportable(folder);
        if (isLoaded) addReach(reachOfPython(text), [...gathering.bases], folder);
      }
      const { paths } = pythonNames(text);
      limits.checkNames(path, paths.length);
      for (const name of paths)
        for (const base of new Set([folder, ...gathering.bases])) addModule(base, name);
    } else if (shellNames.test(basename(path)) || isShell(path, shebang)) {
      if (isStart && isShell(path, shebang)) followShell(text, folder);
      const sourced = [...text.matchAll(/(?:^|[\s;&|])(?:\.|source)\s+(\S+)/g)].map(([, name = '']) => name);
      const written = namesIn(text);
      limits.checkNames(path, written.length + sourced.length);
      for (const base of [folder, ...gathering.bases]) {
        for (const name of sourced) {
          gathering.noteShell(resolve(base, name));
          addNamed(base, name, true);
        }
        for (const name of written) {
          const path = resolve(base, name);
          if (isNewName('program', path) && isThere(path) && isProgram(path)) addNamed(base, name, true);
        }
      }
    } else if (/\.(?:[cm]?[jt]sx?)$/.test(path) || extname(path) === '' || /node|bun|deno/.test(shebang)) {
      const { paths, bare, isComputed } = javaScriptNames(text);
      limits.checkNames(path, paths.length + bare.length);
      if (isComputed) computed.add(path);
      // A package in node_modules is locked with its own package.json.
      if ((isComputed || bare.length > 0) && !isInstalled(folder)) notes.noteScope(folder);
      if (isStart) addScope(folder);
      for (const name of paths) addNamed(folder, name);
      // Loaders of TypeScript take `a.ts` for `./a.js`, also where both are there.
      if (/\.[cm]?tsx?$/.test(path))
        for (const name of paths) for (const one of typedFiles(resolve(folder, fromUrl(name)))) add(one);
      for (const name of bare) addBare(folder, name);
    }
  }

  function isShell(path: string, shebang: string): boolean {
    if (/\b(?:ba|z|da|k|fi)?sh\b/.test(shebang)) return true;
    return shebang === '' && (/\.(?:sh|bash|zsh|ksh)$/.test(path) || shellFiles.has(path));
  }

  function followShell(text: string, folder: string): void {
    const { reach, folders } = reachOfShell(text.replace(/^#!.*/, ''));
    addEntered(gathering, folders, gathering.bases);
    addReach(reach, [...gathering.bases], folder);
  }

  function addReach(reach: Reach, bases: readonly string[], own?: string): void {
    if (reach === 'nothing') return;
    const folders = [...(own === undefined ? [] : [own]), ...(reach === 'own' ? [] : bases)].map(onWay);
    const around = real.filter((root) => reach === 'root' && folders.some((one) => isWithin(one, root)));
    for (const folder of around.length > 0 ? around : folders) addReached(folder);
  }

  /** With what its files load from beyond it. */
  function addReached(folder: string): void {
    if (!isNew('reached', folder)) return;
    addTree(folder, codeTreeAt);
    if (!isOurs(folder) || statsOf(folder)?.isDirectory() !== true) return;
    const { names, beyond } = codePackageAt(folder);
    if (names.length > 0) notes.noteScope(folder);
    for (const name of names) addBare(dirname(folder), name);
    for (const path of beyond.filter((one) => !isWithin(realOf(one), folder)))
      if (statsOf(path)?.isDirectory() === true) addReached(realOf(path));
      else addNamed(dirname(path), path);
  }

  function addModule(folder: string, name: string): void {
    const path = resolve(folder, name);
    if (!isNewName('python', path)) return;
    for (const end of ['.py', '/__init__.py', '/__main__.py', '.so']) add(`${path}${end}`);
  }

  function addNamed(folder: string, name: string, isFileOnly = false): void {
    const path = resolve(folder, fromUrl(name));
    if (!isNewName(isFileOnly ? 'file' : 'module', path)) return;
    const stats = statsIfThere(path);
    if (stats?.isFile() === true) return add(path);
    if (isFileOnly) return;
    const found = moduleFiles(path).filter(isThere);
    if (found.length === 0 && stats === undefined) limits.countMissing();
    for (const one of found) add(one);
    if (stats?.isDirectory() === true) for (const start of startsOf(path)) add(start.path);
  }

  /** The nearest `package.json` decides how files are read, whatever else it says. */
  function addScope(folder: string): void {
    for (let at = folder; isOurs(at) && isNew('scope', at); at = dirname(at)) {
      const file = join(at, 'package.json');
      if (statsOf(file)?.isFile() !== true) continue;
      return keep(partialName(file), sha256Of(scopeOf(file)));
    }
  }

  function addBare(folder: string, name: string): void {
    if (leftOut.isModule(name, folder) || !isNew(folder, name)) return;
    isNewName('package', folder, name);
    if (name.startsWith('#')) return addOwn(folder);
    const [scope = '', inner = ''] = name.split('/');
    const own = scope.startsWith('@') ? `${scope}/${inner}` : scope;
    if (!isInstalled(folder)) addOwn(folder, own);
    for (const at of gathering.moduleFolders) {
      addNamed(at, `./${name}`);
      if (statsIfThere(join(at, own))?.isDirectory() === true)
        addInstalled(join(at, own), name.slice(own.length + 1));
    }
    const nearer: string[] = [];
    let isFound = false;
    for (let at = folder; ; at = dirname(at)) {
      const place = join(at, 'node_modules', own);
      if (statsIfThere(place)?.isDirectory() === true) {
        isFound = true;
        addInstalled(place, name.slice(own.length + 1));
        // `require` looks further up where a folder is no package.
        if (statsOf(join(place, 'package.json')) !== undefined) return notes.noteNearer(nearer, true);
      }
      if (isThere(dirname(place))) for (const end of endings) add(`${place}${end}`);
      nearer.push(at);
      if (at !== dirname(at)) continue;
      if (!isFound) limits.countMissing();
      return notes.noteNearer(nearer, false);
    }
  }

  function addInstalled(place: string, inner: string): void {
    const folder = realOf(place);
    if (isChosen(place, folder)) return keepChoice(place, folder);
    if (!isOurs(folder)) return;
    noteWay(place, folder);
    if (isInstalled(folder)) return addWhole(folder);
    addWorkedOn(folder);
    for (const start of startsOf(folder)) add(start.path);
    if (inner !== '') addNamed(folder, `./${inner}`);
  }

  /** One that is linked from elsewhere in the workspace is worked on: of it only what is loaded counts. */
  function addWorkedOn(folder: string): void {
    const file = join(folder, 'package.json');
    if (!isNew(file)) return;
    add(file);
    for (const target of targetsOf(file))
      if (target.includes('*'))
        addWhole(join(folder, target.slice(0, target.indexOf('*')).replace(/[^/]*$/, '')));
      else {
        addNamed(folder, target);
        // Names that begin with `#` may lead to packages.
        if (/^[@\w]/.test(target)) addBare(folder, target);
      }
  }

  /** The package that a folder belongs to: for `#` names, and for files that import it by its own name. */
  function addOwn(folder: string, name?: string): void {
    for (let at = folder; isOurs(at); at = dirname(at)) {
      const file = join(at, 'package.json');
      if (statsIfThere(file)?.isFile() !== true) continue;
      if (name === undefined || nameOf(file) === name) addWorkedOn(at);
      return;
    }
  }

  function addWhole(folder: string): void {
    if (files.has(folder) || !isOurs(folder)) return;
    const { sha256, names, beyond, isComputed } = packageAt(folder);
    keep(folder, sha256);
    if (isComputed) computed.add(folder);
    if ((isComputed || names.length > 0) && !isInstalled(folder)) notes.noteScope(folder);
    for (const name of names) addBare(folder, name);
    for (const path of beyond) {
      const isFolder = statsOf(path)?.isDirectory() === true;
      if (isFolder && lstatSync(path).isSymbolicLink()) addInstalled(path, '');
      else addNamed(dirname(path), path);
    }
  }

  function addTree(folder: string, digest: (folder: string) => string): void {
    const name = join(folder, '**');
    if (!files.has(name) && isOurs(folder) && statsOf(folder)?.isDirectory() === true)
      keep(name, digest(folder));
  }

  function addImportable(folder: string): void {
    if (!isOurs(folder) || !isNew('python', folder)) return;
    const { modules, packages } = importableIn(folder);
    const wasLoaded = isLoaded;
    isLoaded = false;
    for (const path of modules) add(path);
    isLoaded = wasLoaded;
    for (const given of packages) {
      const path = onWay(given);
      if (isChosen(given, path)) keepChoice(given, path);
      else if (isOurs(path)) keep(join(path, '**', '*.py'), pythonPackageAt(path));
    }
  }

  return gathering;
}
