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

/**
 * Reads every tool file of a workspace, in the order of their names. Runs nothing. A tool can import whatever stands
 * beside it, so what cannot be read and hashed as a whole is not used at all.
 */
export function scanWorkspace(workspace: string): Scan {
  const folder = folderOf(workspace);
  if (folder === undefined) return nothing;
  if (typeof folder !== 'string') return { ...nothing, problems: [folder] };
  const names = namesIn(folder, 0);
  if (typeof names === 'string') return { ...nothing, problems: [{ file: folder, message: names }] };
  const problems: FileProblem[] = [];
  const contents = names.flatMap((name): readonly (readonly [string, Buffer])[] => {
    const content = readPlain(join(folder, name), problems);
    return content === undefined ? [] : [[name, content]];
  });
  const isTool = (name: string): boolean => !name.includes(sep) && toolFile.test(name);
  const unread = problems.filter(({ file }) => !isTool(relative(folder, file)));
  if (unread.length > 0) return { ...nothing, problems: unread.map(asObstacle) };
  const support = contents.filter(([name]) => !isTool(name));
  const beside = digest(support.flatMap(([name, content]) => [name, digest([content])]));
  const files = contents
    .filter(([name]) => isTool(name))
    .map(([name, content]) => ({
      file: join(folder, name),
      text: content.toString('utf8'),
      sha256: digest([content, beside]),
    }));
  return { files, beside: support.map(([name]) => join(folder, name)), problems };
}

const nothing: Scan = { files: [], beside: [], problems: [] };

function asObstacle({ file, message }: FileProblem): FileProblem {
  return {
    file,
    message: `${message} Tools could import it, so none of this folder is used: move it elsewhere.`,
  };
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

/** The files below a folder; a text says why they cannot all be looked at. */
function namesIn(folder: string, depth: number): readonly string[] | string {
  const names: string[] = [];
  for (const entry of entriesIn(folder).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory()) names.push(entry.name);
    else {
      if (entry.name === 'node_modules')
        return 'It holds node_modules, which nobody can trust by reading: install beside .tidegate.';
      if (depth >= maxDepth) return `It is nested deeper than ${String(maxDepth)} folders.`;
      const inner = namesIn(join(folder, entry.name), depth + 1);
      if (typeof inner === 'string') return inner;
      names.push(...inner.map((name) => join(entry.name, name)));
    }
    if (names.length > maxFiles)
      return `There are more than ${String(maxFiles)} files: none of them is used.`;
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
function readPlain(file: string, problems: FileProblem[]): Buffer | undefined {
  try {
    // A link could be turned elsewhere after it was trusted, and a pipe would never end.
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile()) throw new Error('It is not a plain file.');
      if (stats.size > maxBytes) throw new Error('It is larger than 1 MiB.');
      return readFileSync(handle);
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

/** Each part with its length, so that no two lists of parts look alike. */
function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${String(Buffer.byteLength(part))}:`).update(part);
  return hash.digest('hex');
}
