import { close, closeSync, constants, fstatSync, open } from 'node:fs';
import { dirname } from 'node:path';
import { pathForChild, pathOfOpen, realPathOfOpen } from './descriptors.js';
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
  close(): void;
}

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens what the caller named, and believes only what was opened. */
export async function openPlace(roots: Roots, path: string): Promise<Place> {
  const located = await roots.locate(path);
  const fd = await openFd(located, path);
  try {
    return checkedPlace({ roots, fd, path, located });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Not synchronous, unlike all that follows: here a dead network drive would hold up everyone. */
function openFd(located: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(located, flags, (error, fd) => {
      if (error === null) resolve(fd);
      else if (error.code === 'EACCES' || error.code === 'EPERM') reject(notReadable(path));
      // A socket, or a device without a driver.
      else if (error.code === 'ENXIO') reject(wrongKind(path, 'a regular file or folder'));
      else reject(noSuchPlace(path));
    });
  });
}

interface Opened {
  readonly roots: Roots;
  readonly fd: number;
  readonly path: string;
  readonly located: string;
}

function checkedPlace({ roots, fd, path, located }: Opened): Place {
  const real = realPathOfOpen(fd, located);
  if (!roots.contains(real)) throw outside(path, roots.first);
  const stat = fstatSync(fd);
  if (!stat.isDirectory() && !stat.isFile()) throw wrongKind(path, 'a regular file or folder');
  const kind = stat.isDirectory() ? 'folder' : 'file';
  const here = pathOfOpen(fd, located);
  return {
    kind,
    real,
    here,
    forChild: pathForChild(fd, located),
    // The child resolves it before it becomes another program, while it still holds our descriptors.
    cwd: kind === 'folder' ? here : dirname(located),
    close: () => close(fd),
  };
}
