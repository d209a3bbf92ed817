import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { pathForChild, pathOfOpen, realPathOfOpen } from './descriptors.js';
import type { Place } from './place.js';
import type { Roots } from './roots.js';

export interface Where {
  readonly roots: Roots;
  readonly place: Place;
}

/** A file below the start of a search, opened and then found to be inside. */
export interface InsideFile {
  readonly forChild: string;
  close(): void;
}

const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const folderFlags = fileFlags | constants.O_DIRECTORY;

/**
 * Opens a file that ripgrep told of, or gives undefined if that is not (or no longer) a file inside. All of this room's
 * looks at results are synchronous: ripgrep has just read the same files, and a promise for each costs more than the look.
 */
export function openInside({ roots, place }: Where, path: Buffer): InsideFile | undefined {
  const full = below(place, path);
  const fd = tryTo(() => openSync(full, fileFlags));
  if (fd === undefined) return undefined;
  const forChild = tryTo(() => {
    const real = realPathOfOpen(fd, full.toString());
    return roots.contains(real) && fstatSync(fd).isFile() ? pathForChild(fd, real) : undefined;
  });
  if (forChild !== undefined) return { forChild, close: () => closeSync(fd) };
  closeSync(fd);
  return undefined;
}

/** Those of the paths below the start that are there now and inside. Each folder is opened, then checked. */
export function keepInside(
  where: Where,
  paths: readonly Buffer[],
  isWanted: (stat: Stats) => boolean,
): readonly Buffer[] {
  const folders = new Map<string, Buffer[]>();
  for (const path of paths) {
    const folder = folderOf(path);
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [path]);
    else known.push(path);
  }
  const kept = new Set<Buffer>();
  for (const [folder, files] of folders) {
    const inside = inFolder(where, Buffer.from(folder, 'latin1'), (opened) =>
      files.filter((path) => {
        const name = path.subarray(folder.length);
        const stat = tryTo(() => lstatSync(Buffer.concat([opened, slash, name])));
        return stat !== undefined && isWanted(stat);
      }),
    );
    for (const path of inside ?? []) kept.add(path);
  }
  return paths.filter((path) => kept.has(path));
}

/** The folder of a path, with its slash and as latin1; empty for what stands in the start itself. */
export function folderOf(path: Buffer): string {
  return path.subarray(0, path.lastIndexOf('/') + 1).toString('latin1');
}

function inFolder<T>({ roots, place }: Where, folder: Buffer, look: (opened: Buffer) => T): T | undefined {
  const full = below(place, folder);
  const fd = tryTo(() => openSync(full, folderFlags));
  if (fd === undefined) return undefined;
  try {
    if (tryTo(() => roots.contains(realPathOfOpen(fd, full.toString()))) !== true) return undefined;
    return look(Buffer.from(pathOfOpen(fd, full.toString())));
  } finally {
    closeSync(fd);
  }
}

const slash = Buffer.from('/');

function below(place: Place, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(place.here), slash, path]);
}

/** What is gone, locked or not readable is answered by undefined: the caller then says nothing about it. */
function tryTo<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
