import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A file that defines a tool, as it was read. */
export interface ToolFile {
  /** Its real path. */
  readonly file: string;
  /** Of its content and of everything beside it that it could import: what is trusted is the whole. */
  readonly sha256: string;
  readonly text: string;
}

export interface FileProblem {
  readonly file: string;
  readonly message: string;
}

export interface Scan {
  readonly files: readonly ToolFile[];
  /** What else stands there, and is part of what is trusted. */
  readonly beside: readonly string[];
  readonly problems: readonly FileProblem[];
}

const toolFile = /\.tool\.(?:js|mjs|ts)$/;
const maxFiles = 1000;
const maxBytes = 1024 * 1024;
const maxDepth = 8;

/** The folder in which a workspace keeps tools of its own. */
export function toolFolder(workspace: string): string {
  return join(workspace, '.tidegate', 'tools');
}

/** Reads every tool file of a workspace, in the order of their names. Runs nothing. */
export function scanWorkspace(workspace: string): Scan {
  const folder = folderOf(workspace);
  if (folder === undefined) return { files: [], beside: [], problems: [] };
  if (typeof folder !== 'string') return { files: [], beside: [], problems: [folder] };
  const names = namesIn(folder, 0);
  if (names.length > maxFiles) {
    const message = `There are more than ${String(maxFiles)} files: none of them is used.`;
    return { files: [], beside: [], problems: [{ file: folder, message }] };
  }
  const problems: FileProblem[] = [];
  const texts = names.flatMap((name): readonly (readonly [string, string])[] => {
    const text = readPlain(join(folder, name), problems);
    return text === undefined ? [] : [[name, text]];
  });
  const isTool = (name: string): boolean => !name.includes(sep) && toolFile.test(name);
  const support = texts.filter(([name]) => !isTool(name));
  const beside = digest(support.map(([name, text]) => `${name}\0${digest([text])}`));
  const files = texts
    .filter(([name]) => isTool(name))
    .map(([name, text]) => ({ file: join(folder, name), text, sha256: digest([text, beside]) }));
  return { files, beside: support.map(([name]) => join(folder, name)), problems };
}

/** A folder that is somewhere else in truth was not brought by this workspace, and is not read. */
function folderOf(workspace: string): string | FileProblem | undefined {
  const folder = toolFolder(workspace);
  try {
    const inside = relative(realpathSync(workspace), realpathSync(folder));
    if (inside !== '..' && !inside.startsWith(`..${sep}`)) return realpathSync(folder);
    return { file: folder, message: 'The folder is a link that leads out of the workspace: it is not used.' };
  } catch {
    // The usual case: no such folder.
    return undefined;
  }
}

function namesIn(folder: string, depth: number): readonly string[] {
  const names: string[] = [];
  for (const entry of entriesIn(folder).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory()) names.push(entry.name);
    else if (depth < maxDepth && entry.name !== 'node_modules') {
      const inner = namesIn(join(folder, entry.name), depth + 1);
      names.push(...inner.map((name) => join(entry.name, name)));
    }
    if (names.length > maxFiles) break;
  }
  return names;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone meanwhile, or not ours to read: there is nothing in it for us.
    return [];
  }
}

/** At one stroke and not in turns: at start this is in the way of the first answer, and the files are small. */
function readPlain(file: string, problems: FileProblem[]): string | undefined {
  try {
    // A link could be turned elsewhere after it was trusted, and a pipe would never end.
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile()) throw new Error('It is not a plain file.');
      if (stats.size > maxBytes) throw new Error('It is larger than 1 MiB.');
      return readFileSync(handle, 'utf8');
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    problems.push({
      file,
      message: code === 'ELOOP' ? 'It is a link, which is not followed here.' : message,
    });
    return undefined;
  }
}

function digest(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}
