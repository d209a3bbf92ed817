import { basename, delimiter, dirname, join, resolve } from 'node:path';
import type { Gathering } from './cover.js';
import { isPython } from '../python-cache.js';
import { statsOf } from './stats-of.js';
import { addTypeScriptPaths } from './tsconfig-paths.js';

/** The command line that starts a server or plugin. */
export interface RuntimeLine {
  readonly words: readonly string[];
  /** The folder that it runs in. */
  readonly base: string;
  /** Index of the script in the words; -1 if there is none. */
  readonly script: number;
}

const pythonTools = /^(?:uv|uvx|poetry|pipx|pdm|hatch|rye|pipenv|fastmcp|mcp|uvicorn|gunicorn|flask)$/;
const loadsTypeScript = /^(?:tsx|ts-node|bun|bunx|deno|vite-node|jiti|esno)$|\btsx\b|ts-node\//;
/** Programs that load files around their script by computed names. */
const besideScript = /^(?:j?ruby|perl|php|lua(?:jit)?|Rscript|julia|java|elixir|raku|tclsh|dotnet)[\d.]*$/;
/** Programs that build and run the contents of their folder. */
const inFolder =
  /^(?:g?make|just|rake|task|bundle|cargo|go|mix|gradlew?|mvnw?|sbt|swift|docker-compose|podman-compose|nix|nix-shell|bazel|composer)$/;
/** Where the code of a program begins. */
const projectFiles = [
  'Gemfile',
  'composer.json',
  'cpanfile',
  'pom.xml',
  'build.gradle',
  'mix.exs',
  'DESCRIPTION',
  'Project.toml',
];
/** Files that select versions, packages and settings implicitly. */
export const settingsOf: readonly (readonly [program: RegExp, files: readonly string[]])[] = [
  [
    pythonTools,
    [
      'pyproject.toml',
      'uv.toml',
      'uv.lock',
      'poetry.toml',
      'poetry.lock',
      'pdm.toml',
      'hatch.toml',
      'Pipfile',
      'Pipfile.lock',
      'setup.py',
      'setup.cfg',
      '.env',
    ],
  ],
  [
    /^(?:npx|npm|pnpm|pnpx|yarn)$/,
    ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'pnpm-workspace.yaml'],
  ],
  [/^bunx?$/, ['bunfig.toml', '.env', '.env.local', 'tsconfig.json', 'package.json']],
  [/^deno$/, ['deno.json', 'deno.jsonc', 'deno.lock', 'package.json']],
  [/^(?:tsx|ts-node|vite-node|jiti|esno)$/, ['tsconfig.json']],
];
const versionFiles = [
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
  '.python-version',
  '.node-version',
  '.nvmrc',
  '.ruby-version',
];
const isolated = /^-[bBdEhiIOPqsSuvx]*[IP][bBdEhiIOPqsSuvx]*$/;

/** An option that removes the working folder or the script's folder from Python's path. */
export function isIsolating(word: string): boolean {
  return isolated.test(word);
}

/** Files that an interpreter or build tool loads from the workspace implicitly. */
export function addRuntime(gathering: Gathering, line: RuntimeLine): void {
  const { words, base } = line;
  const programs = words.map((word) => basename(word).replace(/\.(?:exe|cmd)$/, ''));
  const runs = (pattern: RegExp): boolean => programs.some((program) => pattern.test(program));
  for (const [program, files] of settingsOf) if (runs(program)) addUpwards(gathering, base, files);
  if (runs(/^python|^pypy/)) addPython(gathering, line);
  if (runs(pythonTools)) addPythonProject(gathering, line);
  if (words.some((word) => loadsTypeScript.test(basename(word)))) addPathsOf(gathering, line);
  if (runs(besideScript)) addAround(gathering, line);
  const isCompose =
    runs(/^(?:docker|podman)$/) && programs.some((one) => /^(?:compose|build|buildx)$/.test(one));
  const isRemote = runs(/^go$/) && words.some((word) => /^[\w.]+\/.*@/.test(word));
  if ((runs(inFolder) || isCompose) && !isRemote) {
    gathering.addCodeTree(base);
    addNamedFolders(gathering, line);
  }
}

/** Files that version managers use to choose the program behind their shims. */
export function addVersionFiles(gathering: Gathering, program: string, cwd: string): void {
  if (/[/\\](?:shims|\.asdf|mise|\.proto|\.volta)[/\\]/.test(program))
    addUpwards(gathering, cwd, versionFiles);
}

/** Variables that name module folders, inside the workspace or elsewhere. */
export function addModuleFolders(
  gathering: Gathering,
  env: Readonly<Record<string, string>>,
  cwd: string,
): void {
  const folders = (name: string): readonly string[] =>
    (env[name] ?? '')
      .split(delimiter)
      .filter((one) => one !== '')
      .map((one) => resolve(cwd, one));
  for (const folder of [...folders('PYTHONPATH'), ...folders('NODE_PATH')]) gathering.noteSearched(folder);
  for (const folder of folders('PYTHONPATH')) gathering.addImportable(folder);
  for (const folder of folders('NODE_PATH')) gathering.moduleFolders.add(folder);
  for (const name of ['RUBYLIB', 'PERL5LIB', 'CLASSPATH'])
    for (const folder of folders(name)) gathering.addCodeTree(folder.replace(/\/\*$/, ''));
  const { VIRTUAL_ENV: environment } = env;
  if (environment !== undefined) gathering.addFile(resolve(cwd, environment, 'bin', 'python'));
}

/** Python's path starts with the folder of the script, or with the working folder for `-m`, `-c` and standard input. */
function addPython(gathering: Gathering, { words, base, script }: RuntimeLine): void {
  const own = words.slice(words.findIndex((word) => isPython(word)) + 1);
  const [first = ''] = own.filter((word) => !/^-[^mc]/.test(word) || word === '-');
  const path = resolve(base, first);
  if (own.some(isIsolating)) return;
  if (statsOf(path)?.isDirectory() === true && script >= 0) gathering.addImportable(path);
  else if (statsOf(path)?.isFile() !== true || first === '') gathering.addImportable(base);
}

function addPathsOf(gathering: Gathering, { words, base, script }: RuntimeLine): void {
  addTypeScriptPaths(gathering, base);
  if (script >= 0) addTypeScriptPaths(gathering, dirname(resolve(base, words[script] ?? '')));
}

function addPythonProject(gathering: Gathering, line: RuntimeLine): void {
  for (let at = line.base; ; at = dirname(at)) {
    gathering.addImportable(at);
    gathering.addImportable(join(at, 'src'));
    for (const name of ['.venv', 'venv']) gathering.addFile(join(at, name, 'bin', 'python'));
    if (!gathering.roots.some((root) => dirname(at).startsWith(root))) break;
  }
  addNamedFolders(gathering, line);
}

function addNamedFolders(gathering: Gathering, { words, base }: RuntimeLine): void {
  for (const word of words.slice(1)) {
    const path = resolve(base, word.replace(/^[^=]*=/, '').replace(/\[.*\]$/, ''));
    if (path !== base && statsOf(path)?.isDirectory() === true) gathering.addCodeTree(path);
  }
}

/** The project that the script belongs to, and folders that options name (`-I lib`, `-cp a:b`). */
function addAround(gathering: Gathering, { words, base, script }: RuntimeLine): void {
  const path = script < 0 ? base : resolve(base, words[script] ?? '');
  const folder = statsOf(path)?.isFile() === true ? dirname(path) : base;
  gathering.addCodeTree(projectOf(folder, gathering.roots));
  for (const word of words.slice(1))
    for (const name of word.replace(/^-[IL]/, '').split(delimiter)) {
      const named = resolve(base, name.replace(/\/\*$/, ''));
      if (name !== '' && named !== base && statsOf(named)?.isDirectory() === true)
        gathering.addCodeTree(named);
      else if (/\.jar$/.test(name) || word.startsWith('@'))
        gathering.addFile(resolve(base, name.replace(/^@/, '')));
    }
}

function projectOf(folder: string, roots: readonly string[]): string {
  for (let at = folder; roots.some((root) => at.startsWith(root)); at = dirname(at))
    if (projectFiles.some((name) => statsOf(join(at, name)) !== undefined)) return at;
  return folder;
}

function addUpwards(gathering: Gathering, from: string, names: readonly string[]): void {
  for (let at = from; ; at = dirname(at)) {
    for (const name of names) gathering.addFile(join(at, name));
    if (at === dirname(at) || !gathering.roots.some((root) => at.startsWith(root))) return;
  }
}
