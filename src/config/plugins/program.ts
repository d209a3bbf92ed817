import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { messageOf } from '../../lib/error-message.js';
import type { Problem } from '../problem.js';
import { coverStart } from '../started/cover-start.js';
import { digestOfFile, digestOfFolder, digestOfProgram } from '../started/digest.js';
import { type PluginFolder, pluginFolderAt } from './directories.js';
import { loadManifest, type PluginManifest, pluginProblem } from './manifest.js';
import { isNamed, namedFiles } from '../started/named-files.js';
import type { PluginEntry } from './plugins-schema.js';
import { statsOf } from '../started/stats-of.js';

export type PluginStart =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
    }
  | { readonly kind: 'url'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

type NamedWhat = 'a file that its command names' | 'a folder that its command names' | 'what it loads';

/** A file that must be trusted, and its role. `what` is part of the trust hash, so never change its texts. */
export interface PluginFile {
  readonly file: string;
  readonly sha256: string;
  readonly what: 'the program' | 'its manifest and what stands beside it' | 'its entry' | NamedWhat;
}

/** Placeholder for a hash that was not computed. It matches no trust record. */
export const unhashed = '';

/** What an entry starts, and which files have to be trusted. */
export interface Program {
  readonly place: string;
  readonly start?: PluginStart;
  readonly manifest?: PluginManifest;
  readonly files: readonly PluginFile[];
  readonly problems: readonly Problem[];
}

export interface ProgramPlace {
  /** The directory of the file that declares the plugin. */
  readonly directory: string;
  readonly workspace: string;
  readonly version: string;
  readonly isHashed: boolean;
  /** The `PATH` in the plugin's environment. */
  readonly searched: string | undefined;
}

export async function programOf(entry: PluginEntry, place: ProgramPlace): Promise<Program> {
  const { directory, workspace, version, isHashed } = place;
  const { url, command, path = '' } = entry;
  if (url !== undefined)
    return {
      place: url,
      start: { kind: 'url', url, headers: Object.fromEntries(entry.headers) },
      files: [],
      problems: [],
    };
  if (command !== undefined) return commandProgram(command, entry, place);
  const target = resolve(directory, path);
  const folder = statsOf(target)?.isDirectory() ? pluginFolderAt(target) : undefined;
  if (folder !== undefined) {
    const { manifest, problems } = await loadManifest(folder.manifestFile, version);
    const digests = await folderDigests(folder, isHashed);
    const start = { kind: 'program', command: folder.program, args: [], cwd: workspace } as const;
    const named = await namedDigests(start, entry, isHashed);
    return {
      place: folder.folder,
      start,
      manifest,
      files: [...digests.files, ...named.files],
      problems: [...problems, ...digests.problems, ...named.problems],
    };
  }
  return commandProgram([target], entry, place);
}

/** Trust covers the exact program file, even if it was found in `PATH`. */
async function commandProgram(
  command: readonly string[],
  entry: PluginEntry,
  { directory, workspace, isHashed, searched }: ProgramPlace,
): Promise<Program> {
  const [program = '', ...given] = command;
  const args = given.map((argument) => besideList(argument, directory));
  const isFile = isAbsolute(program) || program.includes('/');
  const file = isFile ? resolve(directory, program) : findInPath(program, workspace, searched);
  const start = { kind: 'program', command: file ?? program, args, cwd: workspace } as const;
  const named = await namedDigests(start, entry, isHashed);
  // A program that appears in `PATH` later is not the one that was reviewed.
  if (file === undefined) return { place: program, start, ...named };
  const flaw = programFlaw(file);
  if (flaw !== undefined) return { place: file, start, files: [], problems: [pluginProblem(file, flaw)] };
  const real = realpathSync.native(file);
  const sha256 = isHashed ? await digestOfProgram(real) : unhashed;
  return {
    place: isFile ? file : program,
    // A program from PATH may be a link and depend on the name it is called by.
    start: { ...start, command: isFile ? real : file },
    files: [{ file: real, sha256, what: 'the program' }, ...named.files],
    problems: named.problems,
  };
}

/** Resolves `./plugin.mjs` relative to the file that declares it, like `path`, if such a file exists. */
function besideList(argument: string, directory: string): string {
  const [, flag = '', name = ''] = /^(-[^=]*=)?(\.\.?\/[^]*)$/.exec(argument) ?? [];
  if (name === '') return argument;
  const path = resolve(directory, name);
  return isNamed(path) ? `${flag}${path}` : argument;
}

/** Searches `PATH` as the system does for a child: relative to its working directory, first executable wins. */
function findInPath(program: string, cwd: string, searched = '/usr/bin:/bin'): string | undefined {
  if (process.platform === 'win32') return undefined;
  return searched
    .split(':')
    .map((folder) => resolve(cwd, folder, program))
    .find((file) => programFlaw(file) === undefined);
}

/** More named files are probably a mistake. */
const mostNamed = 200;

/**
 * Hashes the files that a command names, such as `node ./plugin.mjs`, and what they load from the workspace: they are as
 * much part of the plugin as its program.
 */
export async function namedDigests(
  start: Extract<PluginStart, { kind: 'program' }>,
  { env }: { readonly env: ReadonlyMap<string, string> },
  isHashed: boolean,
): Promise<Pick<Program, 'files' | 'problems'>> {
  const { args, cwd } = start;
  const named = namedFiles({ args, cwd, env: Object.fromEntries(env) });
  if (named.length > mostNamed)
    return { files: [], problems: [pluginProblem(cwd, 'The command names too many files to trust.')] };
  const files: PluginFile[] = [];
  for (const { path, isFolder } of named) {
    const what = isFolder ? 'a folder that its command names' : 'a file that its command names';
    try {
      const digest = isFolder ? digestOfFolder : digestOfFile;
      files.push({ file: path, sha256: isHashed ? await digest(path, '') : unhashed, what });
    } catch (error) {
      const reason = messageOf(error);
      const message = `The command names ${path}, which cannot be trusted: ${reason}.`;
      return { files: [], problems: [pluginProblem(path, message)] };
    }
  }
  // Without hashes, nothing is trusted.
  if (!isHashed) return { files, problems: [] };
  const loaded = loadedFiles(start, env, files);
  return { files: [...files, ...loaded.files], problems: loaded.problems };
}

/** Files that workspace scripts load. The text of other programs cannot be analyzed. */
function loadedFiles(
  { command, args, cwd }: Extract<PluginStart, { kind: 'program' }>,
  env: ReadonlyMap<string, string>,
  named: readonly PluginFile[],
): Pick<Program, 'files' | 'problems'> {
  const cover = coverStart({ command, args, cwd, env: Object.fromEntries(env) }, [cwd]);
  if (cover.problem !== undefined) {
    const message = `The files that the plugin loads cannot be trusted: ${cover.problem}.`;
    return { files: [], problems: [pluginProblem(cwd, message)] };
  }
  const program = statsOf(command) === undefined ? command : realpathSync.native(command);
  const known = new Set([program, ...named.map(({ file }) => file)]);
  const files = cover.files.filter(({ file }) => !known.has(file));
  return { files: files.map((one) => ({ ...one, what: 'what it loads' })), problems: [] };
}

export async function folderDigests(
  folder: PluginFolder,
  isHashed: boolean,
): Promise<Pick<Program, 'files' | 'problems'>> {
  const { program, manifestFile } = folder;
  const flaw = programFlaw(program);
  if (flaw !== undefined) return { files: [], problems: [pluginProblem(program, flaw)] };
  if (!isHashed) return { files: [{ file: program, sha256: unhashed, what: 'the program' }], problems: [] };
  try {
    return {
      files: [
        { file: program, sha256: await digestOfFile(program), what: 'the program' },
        {
          file: manifestFile,
          sha256: await digestOfFolder(folder.folder, program),
          what: 'its manifest and what stands beside it',
        },
      ],
      problems: [],
    };
  } catch (error) {
    const reason = messageOf(error);
    return {
      files: [],
      problems: [pluginProblem(folder.folder, `The folder cannot be trusted: ${reason}.`)],
    };
  }
}

function programFlaw(file: string): string | undefined {
  const stats = statsOf(file);
  if (stats?.isFile() !== true) return 'The plugin program does not exist.';
  const canRun = process.platform === 'win32' || (stats.mode & 0o111) !== 0;
  return canRun ? undefined : 'The plugin program is not executable. Run chmod +x on it.';
}

export function checksumProblems(
  { checksum }: PluginEntry,
  files: readonly PluginFile[],
  list: string,
): readonly Problem[] {
  const wanted = checksum?.slice('sha256:'.length).toLowerCase();
  if (wanted === undefined) return [];
  const program = files.find(({ what }) => what === 'the program');
  if (program === undefined)
    return [pluginProblem(list, 'The entry has a checksum, but no program file to compare it with.')];
  if (program.sha256 === wanted || program.sha256 === unhashed) return [];
  return [
    pluginProblem(
      program.file,
      `EXECUTION.PLUGIN.CHECKSUM_MISMATCH: the SHA-256 of the program is ${program.sha256}, not ${wanted}.`,
    ),
  ];
}
