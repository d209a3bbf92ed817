import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Problem } from '../problem.js';
import { digestOfFile, digestOfFolder, digestOfProgram } from './digest.js';
import { type PluginFolder, pluginFolderAt } from './directories.js';
import { loadManifest, type PluginManifest, pluginProblem } from './manifest.js';
import { isNamed, namedFiles } from './named-files.js';
import type { PluginEntry } from './plugins-schema.js';
import { statsOf } from './stats-of.js';

export type PluginStart =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
    }
  | { readonly kind: 'url'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

type NamedWhat = 'a file that its command names' | 'a folder that its command names';

/** A file that must be trusted as it is, with what it is to the plugin. */
export interface PluginFile {
  readonly file: string;
  readonly sha256: string;
  readonly what: 'the program' | 'its manifest and what stands beside it' | 'its entry' | NamedWhat;
}

/** In the place of a hash that nobody needed: it is the hash of nothing, so nothing trusts it. */
export const unhashed = '';

/** What an entry starts, and what of it is to be trusted. */
export interface Program {
  readonly place: string;
  readonly start?: PluginStart;
  readonly manifest?: PluginManifest;
  readonly files: readonly PluginFile[];
  readonly problems: readonly Problem[];
}

export interface ProgramPlace {
  /** Of the file that declares it. */
  readonly directory: string;
  readonly workspace: string;
  readonly version: string;
  readonly isHashed: boolean;
  /** Where the plugin's own environment looks for programs. */
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

/** The very file that starts, also where it is looked up, is part of what is trusted. */
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
  // What is found later is another program than the one that was shown.
  if (file === undefined) return { place: program, start, ...named };
  const flaw = programFlaw(file);
  if (flaw !== undefined) return { place: file, start, files: [], problems: [pluginProblem(file, flaw)] };
  const real = realpathSync.native(file);
  const sha256 = isHashed ? await digestOfProgram(real) : unhashed;
  return {
    place: isFile ? file : program,
    // One of PATH may be a link, and do what the name of the link says.
    start: { ...start, command: isFile ? real : file },
    files: [{ file: real, sha256, what: 'the program' }, ...named.files],
    problems: named.problems,
  };
}

/** `./plugin.mjs` is meant from the file that says it, as its `path` is, where there is something beside it. */
function besideList(argument: string, directory: string): string {
  const [, flag = '', name = ''] = /^(-[^=]*=)?(\.\.?\/[^]*)$/.exec(argument) ?? [];
  if (name === '') return argument;
  const path = resolve(directory, name);
  return isNamed(path) ? `${flag}${path}` : argument;
}

/** As the system does it for a child: from where it runs, and the first that may be executed. */
function findInPath(program: string, cwd: string, searched = '/usr/bin:/bin'): string | undefined {
  if (process.platform === 'win32') return undefined;
  return searched
    .split(':')
    .map((folder) => resolve(cwd, folder, program))
    .find((file) => programFlaw(file) === undefined);
}

/** More would be named by mistake. */
const mostNamed = 200;

/** `node ./plugin.mjs`: what an interpreter is given to run is as much the plugin as a program is. */
export async function namedDigests(
  { args, cwd }: Pick<Extract<PluginStart, { kind: 'program' }>, 'args' | 'cwd'>,
  { env }: { readonly env: ReadonlyMap<string, string> },
  isHashed: boolean,
): Promise<Pick<Program, 'files' | 'problems'>> {
  const named = namedFiles({ args, cwd, env: Object.fromEntries(env) });
  if (named.length > mostNamed)
    return { files: [], problems: [pluginProblem(cwd, 'Its command names too many files to be trusted.')] };
  const files: PluginFile[] = [];
  for (const { path, isFolder } of named) {
    const what = isFolder ? 'a folder that its command names' : 'a file that its command names';
    try {
      const digest = isFolder ? digestOfFolder : digestOfFile;
      files.push({ file: path, sha256: isHashed ? await digest(path, '') : unhashed, what });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `Its command names ${path}, which cannot be trusted as a whole: ${reason}.`;
      return { files: [], problems: [pluginProblem(path, message)] };
    }
  }
  return { files, problems: [] };
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
    const reason = error instanceof Error ? error.message : String(error);
    return {
      files: [],
      problems: [pluginProblem(folder.folder, `The folder cannot be trusted as a whole: ${reason}.`)],
    };
  }
}

function programFlaw(file: string): string | undefined {
  const stats = statsOf(file);
  if (stats?.isFile() !== true) return 'There is no program of this name.';
  const canRun = process.platform === 'win32' || (stats.mode & 0o111) !== 0;
  return canRun ? undefined : 'The program may not be executed: set its execute bit.';
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
    return [pluginProblem(list, 'A checksum is given, and there is no file to compare it with.')];
  if (program.sha256 === wanted || program.sha256 === unhashed) return [];
  return [
    pluginProblem(
      program.file,
      `EXECUTION.PLUGIN.CHECKSUM_MISMATCH: the program is ${program.sha256}, not ${wanted}.`,
    ),
  ];
}
