import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { noSuchPlace, notReadable, outside, wrongKind } from './failures.js';
import type { Roots } from './roots.js';

/** Where a search starts: a folder or file that was opened first and found to be inside afterwards. */
export interface Place {
  readonly kind: 'folder' | 'file';
  /** Its real path when it was opened. */
  readonly real: string;
  /** A path to the very thing that was opened, whatever takes its old name; for this process. */
  readonly here: string;
  /** The same, for a child process while it runs. */
  readonly forChild: string;
  /** The working directory for a child. */
  readonly cwd: string;
  close(): Promise<void>;
}

/** Only Linux can name an open file. Elsewhere the path is all there is, and a race can deceive us. */
const hasProc = process.platform === 'linux';
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens what the caller named, and believes only what was opened. */
export async function openPlace(roots: Roots, path: string): Promise<Place> {
  const located = await roots.locate(path);
  const kind = await kindOf(located, path);
  const handle = await open(located, flags).catch((error: unknown) => {
    const isForbidden = error instanceof Error && 'code' in error && error.code === 'EACCES';
    throw isForbidden ? notReadable(path) : noSuchPlace(path);
  });
  try {
    return await checkedPlace({ roots, handle, kind, path, located });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Before it is opened: opening a device can do things, and a pipe may have waiters. */
async function kindOf(located: string, path: string): Promise<Place['kind']> {
  const stat = await lstat(located).catch(() => undefined);
  if (stat === undefined) throw noSuchPlace(path);
  if (stat.isDirectory()) return 'folder';
  if (stat.isFile()) return 'file';
  throw wrongKind(path, 'a regular file or folder');
}

interface Opened {
  readonly roots: Roots;
  readonly handle: FileHandle;
  readonly kind: Place['kind'];
  readonly path: string;
  readonly located: string;
}

async function checkedPlace({ roots, handle, kind, path, located }: Opened): Promise<Place> {
  const stat = await handle.stat();
  if (kind === 'folder' ? !stat.isDirectory() : !stat.isFile()) throw noSuchPlace(path);
  const here = hasProc ? `/proc/self/fd/${handle.fd}` : located;
  const real = hasProc ? await readlink(here) : located;
  if (!roots.contains(real)) throw outside(path, roots.first);
  return {
    kind,
    real,
    here,
    forChild: hasProc ? `/proc/${process.pid}/fd/${handle.fd}` : located,
    // The child resolves it before it becomes another program, while it still holds our descriptors.
    cwd: kind === 'folder' ? here : hasProc ? '/' : dirname(located),
    close: () => handle.close(),
  };
}
