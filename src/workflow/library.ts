import { realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { messageOf } from '../lib/error-message.js';
import { findProgram } from '../lib/find-program.js';
import { readWorkflow } from './grammar/read-workflow.js';
import type { Workflow } from './grammar/workflow.js';
import { type Finding, findingOf, type Source } from './finding.js';
import { readRegular } from './read-regular.js';
import { createWorkflowFolders, type WorkflowFolders } from './workflow-folders.js';

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

/** Finds workflows and the files they use. */
export interface Library extends WorkflowFolders {
  readonly cwd: string;
  /** Folders agents can write to. */
  readonly roots: readonly string[];
  /** Folders that are searched, nearest first. */
  readonly bases: readonly string[];
  /** `text`: content to use instead of the file. */
  load(file: string, text?: string): Loaded;
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

export function openLibrary(parts: LibraryParts): Library {
  const { cwd, folders, homes, read = readRegular } = parts;
  const bases = [...folders.flatMap((folder) => [join(folder, '.tidegate'), join(folder, '.awf')]), ...homes];
  const shelves = createWorkflowFolders(cwd, bases);

  /** Parses the bytes from `read`, because the file on disk may change in the meantime. */
  function readSource(file: string): SourceReading {
    try {
      return parts.readSource(file, read(file));
    } catch (error) {
      const reason = messageOf(error);
      const flaw = { message: `The file cannot be read: ${reason}.`, offset: 0, path: [] };
      return { ...parts.readSource(file, ''), flaws: [flaw] };
    }
  }

  function template(name: string, from: string): (SourceReading & { readonly at: string }) | undefined {
    const file = shelves.findTemplate(name, from);
    return file === undefined ? undefined : { ...readSource(file), at: file };
  }

  function load(file: string, text?: string): Loaded {
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
  }

  return {
    ...shelves,
    cwd,
    roots: parts.roots,
    bases,
    load,
    isUnsandboxed: (file) =>
      (parts.unsandboxed ?? []).length > 0 &&
      shelves.list().some((one) => one.file === file && parts.unsandboxed?.includes(one.name) === true),
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
