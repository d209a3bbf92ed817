import { realpathSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decidesWhatLoads } from './loader-variables.js';
import { statsOf } from './stats-of.js';
import { readRegularText } from './workspace-paths.js';

/** The parts of a command that can name files. */
export interface Words {
  readonly args: readonly string[];
  /** The working directory of the plugin. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A path with links resolved, and whether it is a folder. */
export interface Named {
  readonly path: string;
  readonly isFolder: boolean;
}

/** File extensions that interpreters add to a name. */
export const endings = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '.node', '.py'];
const moduleEndings = [...endings, '.tsx', '.jsx', '.mtsx', '.ctsx'];
const entries = ['package.json', '__main__.py', ...endings.map((ending) => `index${ending}`)];

/**
 * Files and folders that a command names, in any form that interpreters accept. Covering too many is better than too few:
 * a file that is not covered could be replaced unnoticed.
 */
export function namedFiles({ args, cwd: given, env }: Words): readonly Named[] {
  const cwd = statsOf(given) === undefined ? given : realpathSync.native(given);
  const found = new Map<string, Named>();
  const add = (name: string): void => {
    for (const one of at(resolve(cwd, name), cwd)) found.set(one.path, one);
  };
  for (const argument of args) for (const name of namesIn(argument)) add(name);
  for (const [variable, value] of Object.entries(env)) {
    if (!decidesWhatLoads(variable)) continue;
    // System folders, as in PATH, are controlled by the administrator.
    for (const name of value.split(delimiter).flatMap(namesIn))
      for (const one of at(resolve(cwd, name), cwd))
        if (!one.isFolder || isWithin(one.path, cwd)) found.set(one.path, one);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether `./a` exists, or what it resolves to, such as `a.js` or a folder. */
export function isNamed(path: string): boolean {
  return [path, ...endings.map((ending) => path + ending)].some((one) => statsOf(one) !== undefined);
}

function at(path: string, cwd: string): readonly Named[] {
  const stats = statsOf(path);
  if (stats?.isFile() === true) return [real(path, false)];
  const beside = endings
    .map((ending) => path + ending)
    .filter((file) => statsOf(file)?.isFile() === true)
    .map((file) => real(file, false));
  if (stats?.isDirectory() !== true) return beside;
  const folder = real(path, true);
  // The workspace itself changes all the time, so only what would be started is covered.
  return [...beside, ...(isWithin(cwd, folder.path) ? startsOf(folder.path) : [folder])];
}

export function startsOf(folder: string): readonly Named[] {
  const files = entries.map((name) => resolve(folder, name));
  const main = mainOf(resolve(folder, 'package.json'));
  if (main !== undefined) {
    const path = resolve(folder, main);
    files.push(path, ...[...endings, ...entries.map((name) => `/${name}`)].map((more) => path + more));
  }
  return files.filter((file) => statsOf(file)?.isFile() === true).map((file) => real(file, false));
}

function mainOf(file: string): string | undefined {
  try {
    const { main } = JSON.parse(readRegularText(file)) as { readonly main?: unknown };
    return typeof main === 'string' ? main : undefined;
  } catch {
    return undefined;
  }
}

function real(path: string, isFolder: boolean): Named {
  return { path: realpathSync.native(path), isFolder };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** The whole argument, the part after `=`, and words inside that look like paths (`sh -c "node ./a.mjs"`, `-I./lib`). */
export function namesIn(argument: string): readonly string[] {
  const after = argument.startsWith('-') ? argument.slice(argument.indexOf('=') + 1) : argument;
  const words = argument.split(/[\s"'`=:,;|&<>()[\]{}]+/).flatMap((word) => {
    const start = /\.{0,2}\//.exec(word)?.index;
    const isPath = start !== undefined || endings.some((ending) => word.endsWith(ending));
    return isPath ? [word, word.startsWith('-') ? word.slice(start ?? 0) : word] : [];
  });
  const whole = argument.startsWith('-') && after === argument ? [] : [fromUrl(argument), fromUrl(after)];
  const names = [...whole, ...words].filter((name) => name !== '' && !name.includes('\0'));
  return [...new Set(names)];
}

export function fromUrl(name: string): string {
  try {
    return name.startsWith('file:') ? fileURLToPath(name) : name;
  } catch {
    return name;
  }
}

/** The files that a module name may refer to. TypeScript files are imported under their compiled names. */
export function moduleFiles(path: string): readonly string[] {
  const stems = new Set([path, withoutScriptEnding(path)]);
  return [...stems].flatMap((stem) => moduleEndings.map((end) => stem + end));
}

/** The TypeScript files that loaders use for a JavaScript name. */
export function typedFiles(path: string): readonly string[] {
  const stem = withoutScriptEnding(path);
  return stem === path ? [] : ['.ts', '.tsx', '.mts', '.cts'].map((end) => stem + end);
}

function withoutScriptEnding(path: string): string {
  return path.replace(/\.[cm]?jsx?$/, '');
}
