import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** More than any plugin needs. */
const mostFiles = 20_000;
const mostBytes = 1024 * 1024 * 1024;
const deepest = 24;

export async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  // A FIFO in place of the file would block a gateway thread forever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${file} is not a regular file`);
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

interface Known {
  readonly stamp: string;
  readonly digest: Promise<string>;
}

const known = new Map<string, Known>();
const mostKnown = 64;
/** File system clocks are coarse, so a file that changed just now may change again with the same timestamp. */
const settledMs = 2_000;

/**
 * Hashes a program that many plugins may share, such as an interpreter, and caches the result. This is safe because the
 * change time of a file cannot be set back without root permissions.
 */
export async function digestOfProgram(file: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(file, { bigint: true });
  const stamp = [dev, ino, size, mtimeNs, ctimeNs].join();
  const before = known.get(file);
  if (before?.stamp === stamp) return before.digest;
  const digest = digestOfFile(file);
  if (Date.now() - Number(ctimeMs) < settledMs) return digest;
  if (known.size >= mostKnown) known.clear();
  known.set(file, { stamp, digest });
  digest.catch(() => known.delete(file));
  return digest;
}

/**
 * Hashes everything in a folder except one file, because a program can load any file next to it. Throws if the folder cannot
 * be read completely, or contains a link to the outside.
 */
export async function digestOfFolder(folder: string, except: string): Promise<string> {
  const state = { files: 0, bytes: 0 };
  const hash = createHash('sha256');
  for await (const path of walk(folder, folder, 0)) {
    if (path === except) continue;
    state.files += 1;
    if (state.files > mostFiles) throw new Error(`it contains more than ${String(mostFiles)} files`);
    const stats = await lstat(path);
    if (stats.isFile()) state.bytes += stats.size;
    if (state.bytes > mostBytes) throw new Error('it contains more than 1 GiB');
    const mode = (stats.mode & 0o111) === 0 ? '-' : 'x';
    const content = stats.isSymbolicLink() ? `-> ${await readlink(path)}` : await digestOfFile(path);
    hash.update(JSON.stringify([relative(folder, path).split(sep), mode, content]));
  }
  return hash.digest('hex');
}

/** All files that the digest of a folder covers, relative to the folder. */
export async function filesInFolder(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const path of walk(folder, folder, 0)) files.push(relative(folder, path));
  return files;
}

async function* walk(root: string, folder: string, depth: number): AsyncGenerator<string> {
  if (depth > deepest) throw new Error('its folders are nested too deeply');
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(root, path, depth + 1);
    else if (entry.isSymbolicLink()) {
      await refuseWayOut(root, path);
      yield path;
    } else if (entry.isFile()) yield path;
    else throw new Error(`${relative(root, path)} is neither a file nor a folder`);
  }
}

/** A link must point to a file in the same folder. */
async function refuseWayOut(root: string, link: string): Promise<void> {
  const target = await realpath(link).catch(() => resolve(dirname(link), '..', '..'));
  if (!`${target}${sep}`.startsWith(`${root}${sep}`))
    throw new Error(`the link ${relative(root, link)} points outside it, or to nothing`);
}
