/** A workspace can replace a folder with a link, so these folders are opened first and then used through the handle. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../lib/error-code.js';

export interface Folder {
  /** On Linux, the path stays valid if the folder is moved. */
  at(name: string): string;
  close(): Promise<void>;
}

const isLinux = process.platform === 'linux';

/** Opens a folder below a root and creates missing parts. Throws if a part of the path is a link. */
export async function openFolder(
  root: string,
  names: readonly string[],
  modes: readonly number[],
): Promise<Folder> {
  let path = root;
  let folder = await openDirectory(root, root);
  for (const [index, name] of names.entries()) {
    const parent = folder;
    path = join(path, name);
    try {
      await mkdir(parent.at(name), { mode: modes[index] ?? 0o700 }).catch(ignoreExisting);
      folder = await openDirectory(parent.at(name), path);
    } finally {
      await parent.close();
    }
  }
  return folder;
}

/** `expected` is the real path that the folder must have. */
async function openDirectory(path: string, expected: string): Promise<Folder> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const found = isLinux ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(path);
  if (found !== expected) {
    await handle.close();
    throw new Error(`${expected} is not at its expected path`);
  }
  return folderOf(handle, expected);
}

function folderOf(handle: FileHandle, path: string): Folder {
  const base = isLinux ? `/proc/self/fd/${handle.fd}` : path;
  return { at: (name) => join(base, name), close: () => handle.close() };
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
