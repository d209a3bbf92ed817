import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';

export type FolderKind = 'workflows' | 'templates' | 'prompts' | 'scripts' | 'skills' | 'roles' | 'plugins';

/** Finds workflows and their files by name, in the folder of the caller and then in each of the bases. */
export interface WorkflowFolders {
  /** The first of the bases that exists, or else the first. */
  readonly home: string;
  /** Finds a workflow by path or name. Undefined if there is none. */
  find(nameOrPath: string, from?: string): string | undefined;
  findTemplate(name: string, from: string): string | undefined;
  /** Every workflow that can be found by name. */
  list(): readonly { readonly name: string; readonly file: string }[];
  /** Finds a file or a folder by name. */
  lookup(shelf: FolderKind, name: string, from: string): string | undefined;
}

const endings = ['.yaml', '.yml'];

export function createWorkflowFolders(cwd: string, bases: readonly string[]): WorkflowFolders {
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

  function list(): ReturnType<WorkflowFolders['list']> {
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
    home: bases.find((base) => statOf(base)?.isDirectory() === true) ?? bases[0] ?? cwd,
    find,
    findTemplate(name, from) {
      if (!isPlainName(name)) return undefined;
      const folders = [join(dirname(from), 'templates'), ...bases.map((base) => join(base, 'templates'))];
      return firstFile(folders.map((folder) => join(folder, name)));
    },
    list,
    lookup(shelf, name, from) {
      if (isAbsolute(name)) return exists(name) ? name : undefined;
      const places = [dirname(from), ...bases.map((base) => join(base, shelf)), cwd];
      return places.map((place) => join(place, name)).find(exists);
    },
  };
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
    // A parent of the path is a file, or its name is not valid on this system.
    return undefined;
  }
}
