import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { OwnView } from '../../ports/own-paths.js';

/** Something in the file system that was opened without being read, and without following a link at its end. */
export interface Opened {
  /** As it was when it was opened. */
  readonly stats: BigIntStats;
  /** Its real path now. */
  where(): Promise<string>;
  /** Of a folder: a path that leads to the name in this very folder, whatever its own path leads to by now. */
  at(name: string): string;
  /** Opens this very file for reading. */
  openForReading(): Promise<FileHandle>;
  /** Opens this very folder, for fsync. */
  openFolder(): Promise<FileHandle>;
  close(): Promise<void>;
}

/** Undefined when nothing is there. */
export type Open = (path: string) => Promise<Opened | undefined>;

/** Opens as if what is Tidegate's own did not exist. Nothing of it is read: to be opened by handle drops no lock of SQLite. */
export function openButOwn(open: Open, own: OwnView): Open {
  return async (path) => {
    const opened = await open(path);
    if (opened === undefined) return undefined;
    let isHidden = true;
    try {
      isHidden = own.hides(await opened.where()) || (opened.stats.isFile() && own.hidesFile(opened.stats));
    } finally {
      if (isHidden) await opened.close();
    }
    return isHidden ? undefined : opened;
  };
}
