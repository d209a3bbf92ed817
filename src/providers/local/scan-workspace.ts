import { createHash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
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
export async function scanWorkspace(workspace: string): Promise<Scan> {
  const folder = await folderOf(workspace);
  if (folder === undefined) return { files: [], problems: [] };
  if (typeof folder !== 'string') return { files: [], problems: [folder] };
  const names = await namesIn(folder, 0);
  if (names.length > maxFiles) {
    const message = `There are more than ${String(maxFiles)} files: none of them is used.`;
    return { files: [], problems: [{ file: folder, message }] };
  }
  const problems: FileProblem[] = [];
  const read = await Promise.all(names.map((name) => readPlain(join(folder, name), problems)));
  const texts = new Map(read.flatMap((text, at) => (text === undefined ? [] : [[names[at] ?? '', text]])));
  const isTool = (name: string): boolean => !name.includes(sep) && toolFile.test(name);
  const support = [...texts].filter(([name]) => !isTool(name));
  const beside = digest(support.map(([name, text]) => `${name}\0${digest([text])}`));
  const files = [...texts]
    .filter(([name]) => isTool(name))
    .map(([name, text]) => ({ file: join(folder, name), text, sha256: digest([text, beside]) }));
  return { files, problems };
}

/** A folder that is somewhere else in truth was not brought by this workspace, and is not read. */
async function folderOf(workspace: string): Promise<string | FileProblem | undefined> {
  const folder = toolFolder(workspace);
  try {
    const [real, root] = await Promise.all([realpath(folder), realpath(workspace)]);
    const inside = relative(root, real);
    if (inside !== '..' && !inside.startsWith(`..${sep}`)) return real;
    return { file: folder, message: 'The folder is a link that leads out of the workspace: it is not used.' };
  } catch {
    // The usual case: no such folder.
    return undefined;
  }
}

async function namesIn(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const names: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory()) names.push(entry.name);
    else if (depth < maxDepth && entry.name !== 'node_modules') {
      const inner = await namesIn(join(folder, entry.name), depth + 1);
      names.push(...inner.map((name) => join(entry.name, name)));
    }
    if (names.length > maxFiles) break;
  }
  return names;
}

async function readPlain(file: string, problems: FileProblem[]): Promise<string | undefined> {
  try {
    // A link could be turned elsewhere after it was trusted, and a pipe would never end.
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new Error('It is not a plain file.');
      if (stats.size > maxBytes) throw new Error('It is larger than 1 MiB.');
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
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
