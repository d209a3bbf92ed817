import { accessSync, constants } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { localSources } from '../npx-start.js';
import { createGathering, type Gathering } from './cover.js';
import type { Cover } from './covered.js';
import { addInlineCode, runsShell } from './inline-code.js';
import { addEnvironmentFile, addVariables, environmentOption } from './environment-file.js';
import { namesIn, startsOf } from './named-files.js';
import { isProgram } from './program-files.js';
import { addEntered } from './reach.js';
import { addRuntime, addVersionFiles, settingsOf } from './runtimes.js';
import { linesOf, runner, splitWords } from './shell-lines.js';
import { reachOfShell } from './shell-reach.js';
import { statsOf } from './stats-of.js';
import { widen } from './widen.js';
import { readRegularText } from './workspace-paths.js';

/** A program as it is started. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables from the configuration, without the base environment of every child. */
  readonly env: Readonly<Record<string, string>>;
  /** Where programs are looked up. */
  readonly path?: string | undefined;
}

interface Line {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly depth: number;
  /** Whether settings files count. For shell lines they don't, because such lines often write them. */
  readonly hasSettings?: boolean;
}

const packageRunner = /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx)(?:\.cmd)?$/;
const subcommands = new Set(['run', 'exec', 'start', 'x', 'dlx', 'watch', 'test', 'tool', 'script', '-m']);
const folderOptions = new Set(['-C', '--cwd', '--directory', '--prefix', '--project', '--dir', '--chdir']);
const packageOptions = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-p',
  '--package',
]);
/** Settings files, which decide how a program runs. Other files are data that programs may write while they run. */
const settingsFile = /\.(?:json|jsonc|json5|ya?ml|toml|ini|conf|cfg|env|properties)$/i;
/** Files that a program reads implicitly. */
const implicit: readonly (readonly [program: RegExp, files: readonly string[]])[] = [
  [/^g?make$/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/^just$/, ['justfile', 'Justfile', '.justfile']],
  [/^rake$/, ['Rakefile']],
];
const maxDepth = 5;

/** Covers the workspace files that would run with a program: what its arguments name, and what those load. */
export function coverStart({ command, args, cwd, env, path }: Start, roots: readonly string[]): Cover {
  const gathering = createGathering(roots, { isStart: true });
  gathering.bases.add(cwd);
  addVariables(gathering, env, cwd);
  addProgram(gathering, command, cwd, env['PATH'] ?? path);
  for (const file of localSources({ command, args, cwd }, roots)) gathering.addFile(file);
  addLine(gathering, { words: [command, ...args], cwd, depth: 0, hasSettings: true });
  return gathering.cover();
}

export interface LineOptions {
  readonly roots: readonly string[];
  /** The commands run without a sandbox, so everything they might run is covered. */
  readonly isWide: boolean;
}

/** Like `coverStart`, for lines that a shell runs. */
export function coverLines(
  lines: readonly string[],
  cwds: readonly string[],
  { roots, isWide }: LineOptions,
): Cover {
  const gathering = createGathering(roots);
  for (const text of lines)
    for (const cwd of cwds)
      for (const line of linesOf(text)) addLine(gathering, { words: splitWords(line), cwd, depth: 0 });
  if (isWide) widen(gathering, lines, cwds, roots);
  return gathering.cover();
}

function addProgram(gathering: Gathering, command: string, cwd: string, path: string | undefined): void {
  if (isAbsolute(command) || command.includes('/')) return gathering.addFile(resolve(cwd, command));
  const found = (path ?? '')
    .split(delimiter)
    .map((folder) => resolve(cwd, folder, command))
    .find(mayRun);
  if (found === undefined) return;
  addVersionFiles(gathering, found, cwd);
  gathering.addFile(found);
}

function addLine(gathering: Gathering, { words, cwd, depth, hasSettings = false }: Line): void {
  if (!gathering.countLine()) return;
  const [command = '', ...args] = words;
  const bases = [cwd, ...foldersGiven(args, cwd)];
  for (const base of bases) gathering.bases.add(base);
  const script = scriptOf(words);
  // An argument that may be a shell command line.
  for (const inner of depth < maxDepth ? args.filter((arg) => /\s/.test(arg)) : [])
    addInner(gathering, { words: [inner], cwd, depth: depth + 1, isShell: runsShell(words) });
  if (gathering.isStart) addInlineCode(gathering, words, bases);
  for (const base of bases) {
    for (const [at, word] of [command, ...args].entries()) {
      if (at === 0 && !word.includes('/')) continue;
      for (const name of namesIn(word))
        addName(gathering, { base, name, isScript: at === script || at === 0, hasSettings });
    }
    addModules(gathering, args, base);
    addImplicit(gathering, words, base);
    if (gathering.isStart) addRuntime(gathering, { words, base, script });
    if (depth > 0 || words.some((word) => packageRunner.test(basename(word))))
      addScripts(gathering, { words, cwd: base, depth });
  }
}

interface InnerText extends Line {
  readonly isShell: boolean;
}

/** Adds a script of several lines, for its working directory and those that it changes to. */
function addInner(gathering: Gathering, { words: [text = ''], cwd, depth, isShell }: InnerText): void {
  const cwds = [cwd];
  if (isShell && gathering.isStart) {
    const { reach, folders } = reachOfShell(text);
    cwds.push(...addEntered(gathering, folders, cwds));
    gathering.addReach(reach, [cwd]);
  }
  for (const line of linesOf(text))
    for (const at of cwds) addLine(gathering, { words: splitWords(line), cwd: at, depth });
}

/** The index of the script that an interpreter runs; -1 if the program is not a known interpreter. */
function scriptOf(words: readonly string[]): number {
  if (!words.some((word) => runner.test(basename(word)))) return -1;
  return words.findIndex(
    (word, at) =>
      at > 0 && !word.startsWith('-') && !runner.test(word) && !subcommands.has(word) && !/^\w+=/.test(word),
  );
}

interface Name {
  readonly base: string;
  readonly name: string;
  readonly isScript: boolean;
  readonly hasSettings: boolean;
}

function addName(gathering: Gathering, { base, name, isScript, hasSettings }: Name): void {
  const path = resolve(base, name);
  const stats = statsOf(path);
  if (stats?.isFile() === true) {
    if (isScript || isProgram(path) || (hasSettings && settingsFile.test(name))) gathering.addFile(path);
  } else if (stats?.isDirectory() === true) {
    if (isScript) for (const start of startsOf(path)) gathering.addFile(start.path);
  } else {
    if (isScript && stats === undefined && script.test(name)) gathering.addMissing(path);
    if (isScript || name.startsWith('.')) gathering.addNamed(base, name);
  }
}

/** A script path. If it does not exist yet, an agent could create it. */
const script = /^(?:[./\\]|\w+[/\\]).*\.(?:[cm]?[jt]sx?|py|sh|rb|pl|php|lua)$/;

function foldersGiven(args: readonly string[], cwd: string): readonly string[] {
  const given = args.flatMap((arg, at) => {
    const [option = '', value] = arg.split('=', 2);
    if (!folderOptions.has(option)) return [];
    return [value ?? args[at + 1] ?? ''];
  });
  return given.filter((folder) => folder !== '').map((folder) => resolve(cwd, folder));
}

/** Adds modules such as `python -m a.b`, and packages that an interpreter preloads. */
function addModules(gathering: Gathering, args: readonly string[], base: string): void {
  for (const [at, arg] of args.entries()) {
    const [option = '', given] = arg.split('=', 2);
    const value = given ?? args[at + 1] ?? '';
    if (option === '-m' && /^[\w.]+$/.test(value)) {
      const names = value.split('.');
      for (const [index] of names.entries()) {
        const path = resolve(base, ...names.slice(0, index + 1));
        for (const end of ['.py', '/__init__.py', '/__main__.py']) gathering.addFile(`${path}${end}`);
      }
    }
    if (environmentOption.test(option)) addEnvironmentFile(gathering, resolve(base, value), base);
    if (packageOptions.has(option) && /^[@\w]/.test(value)) gathering.addPackage(base, value);
  }
}

function addImplicit(gathering: Gathering, words: readonly string[], base: string): void {
  for (const [program, files] of [...implicit, ...settingsOf])
    if (words.some((word) => program.test(basename(word))))
      for (const file of files) gathering.addFile(join(base, file));
}

/** Adds what `npm run x` and `npx x` run: scripts in `package.json` and programs of packages. */
function addScripts(gathering: Gathering, { words, cwd, depth }: Line): void {
  const names = words.filter((word) => /^[@\w]/.test(word));
  for (let at = cwd; ; at = dirname(at)) {
    for (const name of names) {
      gathering.addFile(join(at, 'node_modules', '.bin', name));
      const own = name.replace(/(?!^)@[^/]*$/, '');
      if (words.some((word) => /^(?:npx|pnpx|bunx|dlx|exec)/.test(basename(word))))
        if (statsOf(join(at, 'node_modules', own)) !== undefined) gathering.addPackage(at, own);
    }
    const file = join(at, 'package.json');
    const scripts = gathering.scripts.get(file) ?? scriptsIn(file);
    gathering.scripts.set(file, scripts);
    const used = names
      .flatMap((name) => [name, `pre${name}`, `post${name}`])
      .filter((name) => Object.hasOwn(scripts, name) && depth < maxDepth && gathering.isNewScript(at, name));
    if (used.length > 0) {
      gathering.addFile(file);
      for (const name of used)
        addInner(gathering, { words: [String(scripts[name])], cwd: at, depth: depth + 1, isShell: true });
    }
    if (at === dirname(at) || !gathering.roots.some((root) => at.startsWith(root))) return;
  }
}

function scriptsIn(file: string): Readonly<Record<string, unknown>> {
  try {
    if (statsOf(file)?.isFile() !== true) return {};
    const { scripts } = JSON.parse(readRegularText(file)) as {
      readonly scripts?: Readonly<Record<string, unknown>>;
    };
    return scripts ?? {};
  } catch {
    return {};
  }
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statsOf(file)?.isFile() === true;
  } catch {
    return false;
  }
}
