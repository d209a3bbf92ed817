import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A file that defines a tool, with the text that was read. */
export interface ToolFile {
  /** Its real path. */
  readonly file: string;
  /** Covers its content, everything in its folder, and what they import from elsewhere. Trust applies to the whole. */
  readonly sha256: string;
  readonly text: string;
  readonly imports: Imports;
}

/** What a tool and the files in its folder import from elsewhere in the workspace. */
export interface Imports {
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
  /** Files that also import computed names, which cannot be analyzed. */
  readonly computed: readonly string[];
  /** What else decides which files are imported: locked, not hashed. */
  readonly guards?: { readonly fixed: readonly string[]; readonly absent: readonly string[] };
  /** Why they cannot be trusted as a whole. */
  readonly problem?: string;
}

/** Finds and hashes imports. */
export type FindImports = (texts: ReadonlyMap<string, string>) => Promise<Imports>;

export interface FileProblem {
  readonly file: string;
  readonly message: string;
}

export interface Scan {
  readonly files: readonly ToolFile[];
  /** Other files in the folder, which trust covers too. */
  readonly beside: readonly string[];
  readonly problems: readonly FileProblem[];
}

const toolFile = /\.tool\.(?:js|mjs|ts)$/;
const maxFiles = 1000;
const maxBytes = 1024 * 1024;
const maxDepth = 8;

/** The folder for the tools of a workspace. */
export function toolFolder(workspace: string): string {
  return join(workspace, '.tidegate', 'tools');
}

/**
 * Reads every tool file of a workspace, sorted by name. Runs nothing. A tool can import any file in its folder, so if one
 * of them cannot be read and hashed, no tool is used.
 */
export async function scanWorkspace(workspace: string, findImports: FindImports): Promise<Scan> {
  const folder = folderOf(workspace);
  if (folder === undefined) return nothing;
  if (typeof folder !== 'string') return { ...nothing, problems: [folder] };
  const names = namesIn(folder, 0);
  if (typeof names === 'string') return { ...nothing, problems: [{ file: folder, message: names }] };
  const problems: FileProblem[] = [];
  const contents = names.flatMap((name): readonly Content[] => {
    const content = readPlain(`${folder}${sep}${name}`, problems);
    return content === undefined ? [] : [[name, content]];
  });
  const isTool = (name: string): boolean => !name.includes(sep) && toolFile.test(name);
  const unread = problems.filter(({ file }) => !isTool(relative(folder, file)));
  if (unread.length > 0) return { ...nothing, problems: unread.map(asObstacle) };
  const support = contents.filter(([name]) => !isTool(name));
  const beside = digest(support.flatMap(([name, content]) => [name, digest([content])]));
  const files: ToolFile[] = [];
  for (const tool of contents.filter(([name]) => isTool(name))) {
    const texts = new Map([tool, ...support].map(([name, bytes]) => [join(folder, name), textOf(bytes)]));
    const imports = await findImports(texts);
    const file = join(folder, tool[0]);
    const { problem } = imports;
    if (problem === undefined)
      files.push({ file, text: textOf(tool[1]), sha256: digestOfTool(tool[1], beside, imports), imports });
    else problems.push({ file, message: `The files that it imports cannot be trusted: ${problem}.` });
  }
  return { files, beside: support.map(([name]) => join(folder, name)), problems };
}

type Content = readonly [name: string, bytes: Buffer];

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8');
}

function digestOfTool(content: Buffer, beside: string, { files }: Imports): string {
  const imported = files.flatMap(({ file, sha256 }) => [file, sha256]);
  // Records from before imports were locked with their links have to be made again.
  return digest([content, beside, ...(imported.length > 0 ? ['locked', ...imported] : [])]);
}

const nothing: Scan = { files: [], beside: [], problems: [] };

function asObstacle({ file, message }: FileProblem): FileProblem {
  return {
    file,
    message: `${message} Tools could import it, so no tool in this folder is used. Move it elsewhere.`,
  };
}

/** A link to a folder outside the workspace is not followed. */
function folderOf(workspace: string): string | FileProblem | undefined {
  const folder = toolFolder(workspace);
  try {
    const inside = relative(realpathSync(workspace), realpathSync(folder));
    if (inside !== '..' && !inside.startsWith(`..${sep}`)) return realpathSync(folder);
    return {
      file: folder,
      message: 'The folder is a link to a path outside the workspace, so it is ignored.',
    };
  } catch {
    // Usually the folder does not exist.
    return undefined;
  }
}

/** The files in a folder and its subfolders, or a text that says why they cannot all be read. */
function namesIn(folder: string, depth: number): readonly string[] | string {
  const names: string[] = [];
  for (const entry of entriesIn(folder).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory()) names.push(entry.name);
    else {
      if (entry.name === 'node_modules')
        return 'It contains node_modules, which is too large to review. Install packages next to .tidegate instead.';
      if (depth >= maxDepth) return `It is nested deeper than ${String(maxDepth)} folders.`;
      const inner = namesIn(join(folder, entry.name), depth + 1);
      if (typeof inner === 'string') return inner;
      names.push(...inner.map((name) => join(entry.name, name)));
    }
    if (names.length > maxFiles)
      return `It contains more than ${String(maxFiles)} files, so none of them is used.`;
  }
  return names;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Deleted in the meantime or unreadable: treat it as empty.
    return [];
  }
}

/** Synchronous, because the files are small and the first answer waits for them. */
function readPlain(file: string, problems: FileProblem[]): Buffer | undefined {
  try {
    // A link could change its target after it was trusted, and reading a pipe would block.
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile()) throw new Error('It is not a regular file.');
      if (stats.size > maxBytes) throw new Error('It is larger than 1 MiB.');
      return readBytes(handle, stats.size);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    problems.push({
      file,
      message: code === 'ELOOP' ? 'It is a symbolic link, which is not allowed here.' : message,
    });
    return undefined;
  }
}

function readBytes(handle: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let length = 0; length < size; ) {
    const count = readSync(handle, bytes, length, size - length, null);
    // The file was truncated in the meantime.
    if (count === 0) return bytes.subarray(0, length);
    length += count;
  }
  return bytes;
}

/** Hashes each part with its length, so that different lists of parts never collide. */
function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${String(Buffer.byteLength(part))}:`).update(part);
  return hash.digest('hex');
}
