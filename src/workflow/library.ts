import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { findProgram } from '../lib/find-program.js';
import { readWorkflow } from './grammar/read-workflow.js';
import type { Workflow } from './grammar/workflow.js';
import { type Finding, findingOf, type Source } from './finding.js';
import { readRegular } from './read-regular.js';

/** A file that was read, and the problems found while parsing it. */
export interface SourceReading extends Source {
  readonly sha256?: string;
  readonly flaws: readonly {
    readonly message: string;
    readonly offset: number;
    readonly path: readonly (string | number)[];
    readonly remedy?: string;
  }[];
}

/** Files of the workspace that commands run. */
export interface RunFiles {
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
  /** Paths that decide which code these files load. */
  readonly guards?: { readonly fixed: readonly string[]; readonly absent: readonly string[] };
  /** Why the list of files is incomplete. */
  readonly problem?: string;
}

export interface LibraryParts {
  readonly cwd: string;
  /** Folders whose `.tidegate/` and `.awf/` are searched, nearest first. */
  readonly folders: readonly string[];
  /** User folders, searched after the workspace: `~/.config/tidegate`, `~/.config/awf`. */
  readonly homes: readonly string[];
  /** `given`: content to use instead of the file. */
  readonly readSource: (path: string, given?: string | Buffer) => SourceReading;
  /** Folders agents can write to. */
  readonly roots: readonly string[];
  /** Environment used to look up programs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Workspace files that commands name, and the files those load, with hashes. Absent: none are known. */
  readonly filesRunBy?: (
    commands: readonly string[],
    folders: readonly string[],
    isWide: boolean,
  ) => RunFiles;
  /** Names of workflows whose commands run outside the sandbox even if an agent starts them. */
  readonly unsandboxed?: readonly string[];
  /** Reads the bytes of a file. Absent: reads from disk every time. */
  readonly read?: (path: string) => Buffer;
}

export interface Loaded {
  readonly workflow: Workflow;
  readonly findings: readonly Finding[];
  /** Files of all templates the workflow uses, including nested ones. */
  readonly templates: readonly string[];
  readonly sha256?: string;
}

export type Shelf = 'workflows' | 'templates' | 'prompts' | 'scripts' | 'skills' | 'roles' | 'plugins';

/** Finds workflows and the files they use. */
export interface Library {
  readonly cwd: string;
  /** Folders agents can write to. */
  readonly roots: readonly string[];
  /** Folders that are searched, nearest first. */
  readonly bases: readonly string[];
  /** The first of the `bases` that exists, or else the first. */
  readonly home: string;
  /** Finds a workflow by path or name. Undefined if there is none. */
  find(nameOrPath: string, from?: string): string | undefined;
  /** `text`: content to use instead of the file. */
  load(file: string, text?: string): Loaded;
  /** Every workflow that can be found by name. */
  list(): readonly { readonly name: string; readonly file: string }[];
  /** Finds a file or a folder by name. */
  lookup(shelf: Shelf, name: string, from: string): string | undefined;
  /** The bytes of a file found here. Throws unless it is a regular file of limited size. */
  read(path: string): Buffer;
  /** Reads a file inside the workspace. Links must not lead outside. */
  readInside(path: string): Buffer;
  /** The file that is started for a program of this name. */
  program(name: string): string | undefined;
  /** Workspace files that commands run in any of these folders. `isWide`: include everything they might run. */
  filesRunBy(commands: readonly string[], folders: readonly string[], isWide: boolean): RunFiles;
  /** Whether commands of this workflow run outside the sandbox even if an agent starts it. */
  isUnsandboxed(file: string): boolean;
}

const endings = ['.yaml', '.yml'];

export function openLibrary(parts: LibraryParts): Library {
  const { cwd, folders, homes, read = readRegular } = parts;
  const bases = [...folders.flatMap((folder) => [join(folder, '.tidegate'), join(folder, '.awf')]), ...homes];

  function find(nameOrPath: string, from?: string): string | undefined {
    const isPath =
      endings.includes(extname(nameOrPath)) || isAbsolute(nameOrPath) || nameOrPath.startsWith('.');
    if (isPath)
      return [...(from === undefined ? [] : [dirname(from)]), cwd]
        .map((at) => resolve(at, nameOrPath))
        .find(isFile);
    const beside = from === undefined ? [] : [dirname(from)];
    const [pack = '', name] = nameOrPath.split('/');
    if (name !== undefined && nameOrPath.split('/').length === 2) {
      const found = firstFile(bases.map((base) => join(base, 'workflow-packs', pack, 'workflows', name)));
      if (found !== undefined) return found;
    }
    return firstFile(
      [...beside, ...bases.map((base) => join(base, 'workflows'))].map((at) => join(at, nameOrPath)),
    );
  }

  /** Parses the bytes from `read`, because the file on disk may change in the meantime. */
  function readSource(file: string): SourceReading {
    try {
      return parts.readSource(file, read(file));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const flaw = { message: `The file cannot be read: ${reason}.`, offset: 0, path: [] };
      return { ...parts.readSource(file, ''), flaws: [flaw] };
    }
  }

  function template(name: string, from: string): (SourceReading & { readonly at: string }) | undefined {
    if (!isPlainName(name)) return undefined;
    const folders = [join(dirname(from), 'templates'), ...bases.map((base) => join(base, 'templates'))];
    const file = firstFile(folders.map((folder) => join(folder, name)));
    return file === undefined ? undefined : { ...readSource(file), at: file };
  }

  function list(): ReturnType<Library['list']> {
    const found = new Map<string, string>();
    for (const base of bases) {
      for (const file of filesIn(join(base, 'workflows'))) {
        const name = basename(file, extname(file));
        if (!found.has(name)) found.set(name, file);
      }
    }
    return [...found].map(([name, file]) => ({ name, file })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    cwd,
    roots: parts.roots,
    bases,
    home: bases.find((base) => statOf(base)?.isDirectory() === true) ?? bases[0] ?? cwd,
    find,
    load(file, text) {
      const source = text === undefined ? readSource(file) : parts.readSource(file, text);
      const flaws = source.flaws.map((flaw) =>
        findingOf({ code: 'WORKFLOW.PARSE.YAML_SYNTAX', source, ...flaw }),
      );
      const more: Finding[] = [];
      const templates = new Set<string>();
      const read = readWorkflow(source, (name) => {
        const found = template(name, file);
        if (found !== undefined) templates.add(found.at);
        for (const flaw of found?.flaws ?? []) {
          if (found) more.push(findingOf({ code: 'WORKFLOW.PARSE.YAML_SYNTAX', source: found, ...flaw }));
        }
        return found;
      });
      // If the YAML is invalid, further findings would only be noise.
      const isUnread =
        source.flaws.length > 0 && source.root.kind === 'map' && source.root.entries.length === 0;
      const findings = isUnread ? flaws : [...flaws, ...more, ...read.findings];
      return {
        workflow: read.workflow,
        findings,
        templates: [...templates],
        ...(source.sha256 !== undefined && { sha256: source.sha256 }),
      };
    },
    list,
    isUnsandboxed: (file) =>
      (parts.unsandboxed ?? []).length > 0 &&
      list().some((one) => one.file === file && parts.unsandboxed?.includes(one.name) === true),
    lookup(shelf, name, from) {
      if (isAbsolute(name)) return exists(name) ? name : undefined;
      const places = [dirname(from), ...bases.map((base) => join(base, shelf)), cwd];
      return places.map((place) => join(place, name)).find(exists);
    },
    read,
    readInside: (path) => readInside(cwd, path),
    program: (name) => findProgram(name, parts.env, cwd),
    filesRunBy: parts.filesRunBy ?? (() => ({ files: [] })),
  };
}

const largestInside = 1024 * 1024;

function readInside(cwd: string, path: string): Buffer {
  const real = realpathSync(resolve(cwd, path));
  const way = relative(realpathSync(cwd), real);
  if (way.startsWith('..') || way === '' || resolve(way) === way)
    throw new Error('it is outside the workspace');
  return readRegular(real, largestInside);
}

/** Workflow files in a folder, sorted by name. */
export function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => endings.includes(extname(entry.name)) && !entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch {
    // The folder does not exist or is not readable.
    return [];
  }
}

function firstFile(paths: readonly string[]): string | undefined {
  return paths.flatMap((path) => endings.map((ending) => path + ending)).find(isFile);
}

function isPlainName(name: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)*$/.test(name) && !name.split('/').includes('..');
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}

function exists(path: string): boolean {
  return statOf(path) !== undefined;
}

function statOf(path: string): ReturnType<typeof statSync> | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The path leads through a file, or its name is not valid on this system.
    return undefined;
  }
}
