import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { readWorkflow } from './grammar/read-workflow.js';
import type { Workflow } from './grammar/workflow.js';
import { type Finding, findingOf, type Source } from './finding.js';
import { readRegular } from './read-regular.js';

/** A file that was read, and what its reader had to say. */
export interface SourceReading extends Source {
  readonly sha256?: string;
  readonly flaws: readonly {
    readonly message: string;
    readonly offset: number;
    readonly path: readonly (string | number)[];
    readonly remedy?: string;
  }[];
}

export interface LibraryParts {
  readonly cwd: string;
  /** Whose `.tidegate/` and `.awf/` are looked into, nearest first. */
  readonly folders: readonly string[];
  /** Folders of the user that may hold what a workspace does not: `~/.config/tidegate`, `~/.config/awf`. */
  readonly homes: readonly string[];
  /** `given`: what stands for the content of the file. */
  readonly readSource: (path: string, given?: string | Buffer) => SourceReading;
  /** How the bytes of a file come; absent: from the disk, each time anew. */
  readonly read?: (path: string) => Buffer;
}

export interface Loaded {
  readonly workflow: Workflow;
  readonly findings: readonly Finding[];
  /** The files of the templates that its states were made from, also of templates in templates. */
  readonly templates: readonly string[];
  readonly sha256?: string;
}

export type Shelf = 'workflows' | 'templates' | 'prompts' | 'scripts' | 'skills' | 'roles' | 'plugins';

/** Where workflows, and what they use, are found. */
export interface Library {
  readonly cwd: string;
  /** The folders that are looked into, nearest first. */
  readonly bases: readonly string[];
  /** The first of them that is there, or else the first. */
  readonly home: string;
  /** A path, or a name that is looked up. Undefined: there is none. */
  find(nameOrPath: string, from?: string): string | undefined;
  /** `text`: what stands for the file, where there is none. */
  load(file: string, text?: string): Loaded;
  /** Every workflow that has a name here. */
  list(): readonly { readonly name: string; readonly file: string }[];
  /** A file or a folder of some kind by its name. */
  lookup(shelf: Shelf, name: string, from: string): string | undefined;
  /** The bytes of a file that was found here. Throws for all but regular files of some size. */
  read(path: string): Buffer;
  /** A file of the workspace, also after links are resolved. */
  readInside(path: string): Buffer;
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

  /** As `read` gives it, and not as it may be a moment later. */
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

  return {
    cwd,
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
      // Of a file that could not be read as YAML, nothing else is worth saying.
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
    list() {
      const found = new Map<string, string>();
      for (const base of bases) {
        for (const file of filesIn(join(base, 'workflows'))) {
          const name = basename(file, extname(file));
          if (!found.has(name)) found.set(name, file);
        }
      }
      return [...found]
        .map(([name, file]) => ({ name, file }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    lookup(shelf, name, from) {
      if (isAbsolute(name)) return exists(name) ? name : undefined;
      const places = [dirname(from), ...bases.map((base) => join(base, shelf)), cwd];
      return places.map((place) => join(place, name)).find(exists);
    },
    read,
    readInside: (path) => readInside(cwd, path),
  };
}

const largestInside = 1024 * 1024;

function readInside(cwd: string, path: string): Buffer {
  const real = realpathSync(resolve(cwd, path));
  const way = relative(realpathSync(cwd), real);
  if (way.startsWith('..') || way === '' || resolve(way) === way)
    throw new Error('it is outside of the workspace');
  return readRegular(real, largestInside);
}

/** Workflow files of a folder, in the order of their names. */
export function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => endings.includes(extname(entry.name)) && !entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch {
    // No such folder, or not for us.
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
    // A way through a file, or a name that no system takes.
    return undefined;
  }
}
