import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

const maxBytes = 512 * 1024 * 1024;

/** Whether the path is the folder or inside it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

export function isInstalled(folder: string): boolean {
  return folder.split(sep).includes('node_modules');
}

/** The package that an installed file belongs to. */
export function packageFolderOf(path: string): string | undefined {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/.@][^/]*)\//.exec(path) ?? [];
  return folder;
}

/** Never waits: an agent can put a FIFO in place of a file, and opening it would block the whole gateway. */
export function readRegular(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    if (stats.size > maxBytes) throw new Error(`${path} is larger than 512 MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function readRegularText(path: string): string {
  return readRegular(path).toString('utf8');
}

export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
