import { basename, dirname, extname, resolve } from 'node:path';
import { javaScriptNames, pythonNames } from './module-names.js';
import { fromUrl, namesIn, typedFiles } from './named-files.js';
import { addScope } from './follow-packages.js';
import { isProgram, shellNames } from './program-files.js';
import { reachOfPython } from './python-reach.js';
import { addEntered } from './reach.js';
import type { Search } from './search.js';
import { reachOfShell } from './shell-reach.js';
import { isInstalled } from './workspace-paths.js';

/** Linux reads 256 bytes. */
const longestShebang = 1024;

/** Adds what a file loads according to its text, by language. */
export function followText(search: Search, path: string, text: string): void {
  const { found, gathering } = search;
  found.limits.countText(text);
  const folder = dirname(path);
  const [first = ''] = text.slice(0, longestShebang).split('\n', 1);
  const shebang = first.startsWith('#!') ? first.slice(2) : '';
  for (const word of shebang.split(/\s+/).filter((one) => one.includes('/')))
    for (const base of [...gathering.bases, folder]) search.addFile(resolve(base, word));
  const isShell = isShellText(search, path, shebang);
  if (path.endsWith('.py') || /python/.test(shebang)) followPython(search, path, text);
  else if (shellNames.test(basename(path)) || isShell) followShell(search, path, text, isShell);
  else if (/\.(?:[cm]?[jt]sx?)$/.test(path) || extname(path) === '' || /node|bun|deno/.test(shebang))
    followJavaScript(search, path, text);
}

function isShellText({ found }: Search, path: string, shebang: string): boolean {
  if (/\b(?:ba|z|da|k|fi)?sh\b/.test(shebang)) return true;
  return shebang === '' && (/\.(?:sh|bash|zsh|ksh)$/.test(path) || found.shellFiles.has(path));
}

function followPython(search: Search, path: string, text: string): void {
  const { found, gathering } = search;
  const folder = dirname(path);
  if (gathering.isStart) {
    search.addImportable(folder);
    if (found.isLoaded) search.addReach(reachOfPython(text), [...gathering.bases], folder);
  }
  const { paths } = pythonNames(text);
  found.limits.checkNames(path, paths.length);
  for (const name of paths)
    for (const base of new Set([folder, ...gathering.bases])) addPythonModule(search, base, name);
}

function addPythonModule(search: Search, folder: string, name: string): void {
  const path = resolve(folder, name);
  if (!search.found.isNewName('python', path)) return;
  for (const end of ['.py', '/__init__.py', '/__main__.py', '.so']) search.addFile(`${path}${end}`);
}

/** `isShell`: a shell runs the file. Otherwise only its name suggests commands, as in a Makefile. */
function followShell(search: Search, path: string, text: string, isShell: boolean): void {
  const { found, gathering } = search;
  const folder = dirname(path);
  if (gathering.isStart && isShell) addShellReach(search, text, folder);
  const sourced = [...text.matchAll(/(?:^|[\s;&|])(?:\.|source)\s+(\S+)/g)].map(([, name = '']) => name);
  const written = namesIn(text);
  found.limits.checkNames(path, written.length + sourced.length);
  for (const base of [folder, ...gathering.bases]) {
    for (const name of sourced) {
      gathering.noteShell(resolve(base, name));
      search.addNamed(base, name, true);
    }
    for (const name of written) {
      const program = resolve(base, name);
      if (found.isNewName('program', program) && found.isThere(program) && isProgram(program))
        search.addNamed(base, name, true);
    }
  }
}

function addShellReach(search: Search, text: string, folder: string): void {
  const { gathering } = search;
  const { reach, folders } = reachOfShell(text.replace(/^#!.*/, ''));
  addEntered(gathering, folders, gathering.bases);
  search.addReach(reach, [...gathering.bases], folder);
}

function followJavaScript(search: Search, path: string, text: string): void {
  const { found, gathering } = search;
  const folder = dirname(path);
  const { paths, bare, isComputed } = javaScriptNames(text);
  found.limits.checkNames(path, paths.length + bare.length);
  if (isComputed) found.computed.add(path);
  // A package in node_modules is locked with its own package.json.
  if ((isComputed || bare.length > 0) && !isInstalled(folder)) found.notes.noteScope(folder);
  if (gathering.isStart) addScope(search, folder);
  for (const name of paths) search.addNamed(folder, name);
  // TypeScript loaders resolve `./a.js` to `a.ts`, even if both exist.
  if (/\.[cm]?tsx?$/.test(path))
    for (const name of paths)
      for (const one of typedFiles(resolve(folder, fromUrl(name)))) search.addFile(one);
  for (const name of bare) search.addPackage(folder, name);
}
