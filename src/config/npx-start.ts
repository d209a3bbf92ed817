import { existsSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { readRegularText } from './started/workspace-paths.js';

interface NpxLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

interface NpxPlace {
  readonly roots: readonly string[];
  /** The environment of the server. Its `PATH` has no workspace folders. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder that agents cannot write. */
  readonly folder: string;
}

/**
 * `npx` prefers local programs: a `package.json` with a matching `name` or `bin`, or an installed package with that name. An agent could
 * add one. So a package that the project does not have is looked up with another folder as the project. A globally installed program
 * is started directly, because npx would not find it from another folder.
 */
export function withNpxOutside(line: NpxLine, { roots, env, folder }: NpxPlace): NpxLine {
  const { command, args, cwd } = line;
  const at = startOfOptions(command, args);
  if (at === -1 || args.some((arg) => /^--prefix(?:=|$)|^-C/.test(arg))) return line;
  if (localSources(line, roots).length > 0) return line;
  const word = args.findIndex((arg, index) => index >= at && !arg.startsWith('-'));
  const installed = isPlain(args.slice(at, word)) ? installedGlobally(args[word] ?? '', env) : undefined;
  if (installed !== undefined) return { command: installed, args: args.slice(word + 1), cwd };
  const npmrc = nearest(cwd, roots, '.npmrc');
  // Keep using the registries of the project. The file is covered by trust.
  const settings = npmrc === undefined ? [] : ['--globalconfig', npmrc];
  return { command, args: [...args.slice(0, at), '--prefix', folder, ...settings, ...args.slice(at)], cwd };
}

/** Whether there are no options for packages or shell commands, so that the next word is the program. */
function isPlain(options: readonly string[]): boolean {
  return options.every((option) => /^(?:-y|--yes|-q|--quiet|--)$/.test(option));
}

function installedGlobally(name: string, env: NpxPlace['env']): string | undefined {
  if (!/^[\w.-]+$/.test(name)) return undefined;
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...ownPrefix(env)];
  return folders
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

function ownPrefix({ HOME: home }: NpxPlace['env']): readonly string[] {
  try {
    const text = home === undefined ? '' : readRegularText(join(home, '.npmrc'));
    const prefix = /^[ \t]*prefix[ \t]*=(.*)$/m.exec(text)?.[1]?.trim();
    return prefix === undefined || prefix === ''
      ? []
      : [join(prefix.replace(/^~|^\$\{HOME\}/, home ?? ''), 'bin')];
  } catch {
    return [];
  }
}

/** The files that make the project itself provide the package. Empty if it comes from the registry. */
export function localSources({ command, args, cwd }: NpxLine, roots: readonly string[]): readonly string[] {
  const at = startOfOptions(command, args);
  if (at === -1) return [];
  const names = wanted(args.slice(at));
  return foldersFrom(cwd, roots).flatMap((above) =>
    names.flatMap((name) => {
      const program = programOf(name);
      const own = join(above, 'package.json');
      return [
        ...[join(above, 'node_modules', name, 'package.json'), join(above, 'node_modules', '.bin', program)],
        ...(offers(own, name, program) ? [own] : []),
      ].filter((file) => existsSync(file));
    }),
  );
}

/** The index for npm options: after `npx` or `npm exec`. -1 for other commands. */
function startOfOptions(command: string, args: readonly string[]): number {
  const program = basename(command).replace(/\.cmd$/i, '');
  if (program === 'npx') return 0;
  return program === 'npm' && /^(?:exec|x)$/.test(args[0] ?? '') ? 1 : -1;
}

/** The package names, without versions. */
function wanted(args: readonly string[]): readonly string[] {
  const named = args.flatMap((arg, at) => {
    const [option = '', value] = arg.split('=', 2);
    return /^(?:-p|--package)$/.test(option) ? [value ?? args[at + 1] ?? ''] : [];
  });
  const first = args.find(
    (arg, at) => !arg.startsWith('-') && !/^(?:-p|--package)$/.test(args[at - 1] ?? ''),
  );
  return [...named, ...(first === undefined ? [] : [first])]
    .map((spec) => spec.replace(/(?!^)@[^/]*$/, ''))
    .filter((name) => /^[@\w]/.test(name));
}

function programOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function offers(file: string, name: string, program: string): boolean {
  try {
    const { name: own, bin } = JSON.parse(readRegularText(file)) as {
      readonly name?: unknown;
      readonly bin?: unknown;
    };
    return own === name || (typeof bin === 'object' && bin !== null && Object.hasOwn(bin, program));
  } catch {
    return false;
  }
}

function nearest(cwd: string, roots: readonly string[], name: string): string | undefined {
  return foldersFrom(cwd, roots)
    .map((above) => join(above, name))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** The folder and its ancestors, up to the workspace root. */
function foldersFrom(cwd: string, roots: readonly string[]): readonly string[] {
  const isInRoot = roots.some((root) => cwd === root || cwd.startsWith(root + sep));
  if (!isInRoot) return [];
  const above = dirname(cwd);
  return [cwd, ...(above === cwd ? [] : foldersFrom(above, roots))];
}
