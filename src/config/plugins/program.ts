import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Problem } from '../problem.js';
import { digestOfFile, digestOfFolder } from './digest.js';
import { type PluginFolder, pluginFolderAt } from './directories.js';
import { loadManifest, type PluginManifest, pluginProblem } from './manifest.js';
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

/** A file that must be trusted as it is, with what it is to the plugin. */
export interface PluginFile {
  readonly file: string;
  readonly sha256: string;
  readonly what:
    | 'the program'
    | 'its manifest and what stands beside it'
    | 'the file that declares it'
    | 'a file that its command names';
}

/** In the place of a hash that nobody needed: it is the hash of nothing, so nothing trusts it. */
const unhashed = '';

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
  readonly isHashed: (program: string) => boolean;
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
  if (command !== undefined) return commandProgram(command, place);
  const target = resolve(directory, path);
  const folder = statsOf(target)?.isDirectory() ? pluginFolderAt(target) : undefined;
  if (folder !== undefined) {
    const { manifest, problems } = await loadManifest(folder.manifestFile, version);
    const digests = await folderDigests(folder, isHashed);
    return {
      place: folder.folder,
      start: { kind: 'program', command: folder.program, args: [], cwd: workspace },
      manifest,
      files: digests.files,
      problems: [...problems, ...digests.problems],
    };
  }
  return commandProgram([target], place);
}

/** A program with a slash is a file, and part of what is trusted; one of PATH is what the operator installed. */
async function commandProgram(
  command: readonly string[],
  { directory, isHashed }: ProgramPlace,
): Promise<Program> {
  const [program = '', ...args] = command;
  const isFile = isAbsolute(program) || program.includes('/');
  const file = isFile ? resolve(directory, program) : program;
  const start: PluginStart = { kind: 'program', command: file, args, cwd: directory };
  const more = await argumentFiles(args, directory, isHashed);
  if (!isFile) return { place: program, start, files: more, problems: [] };
  const flaw = programFlaw(file);
  if (flaw !== undefined) return { place: file, start, files: [], problems: [pluginProblem(file, flaw)] };
  const real = realpathSync.native(file);
  const sha256 = isHashed(real) ? await digestOfFile(real) : unhashed;
  return {
    place: file,
    start: { ...start, command: real },
    files: [{ file: real, sha256, what: 'the program' }, ...more],
    problems: [],
  };
}

/** `node ./plugin.mjs`: what an interpreter is given to run is as much the plugin as a program is. */
async function argumentFiles(
  args: readonly string[],
  directory: string,
  isHashed: (program: string) => boolean,
): Promise<readonly PluginFile[]> {
  const found = args
    .map((argument) => resolve(directory, argument))
    .filter((file) => statsOf(file)?.isFile() === true)
    .map((file) => realpathSync.native(file));
  const files: PluginFile[] = [];
  for (const file of new Set(found))
    files.push({
      file,
      sha256: isHashed(file) ? await digestOfFile(file) : unhashed,
      what: 'a file that its command names',
    });
  return files;
}

export async function folderDigests(
  folder: PluginFolder,
  isHashed: (program: string) => boolean,
): Promise<Pick<Program, 'files' | 'problems'>> {
  const { program, manifestFile } = folder;
  const flaw = programFlaw(program);
  if (flaw !== undefined) return { files: [], problems: [pluginProblem(program, flaw)] };
  if (!isHashed(program))
    return { files: [{ file: program, sha256: unhashed, what: 'the program' }], problems: [] };
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
