import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { OwnView } from '../../ports/own-paths.js';

/** A file system entry opened without reading it and without following a link at its end. */
export interface Opened {
  /** At the time it was opened. */
  readonly stats: BigIntStats;
  /** Its real path now. */
  where(): Promise<string>;
  /** For a folder: a path to the name in this exact folder, even if the folder's own path now leads elsewhere. */
  at(name: string): string;
  /** Opens this exact file for reading. */
  openForReading(): Promise<FileHandle>;
  /** Opens this exact folder, for fsync. */
  openFolder(): Promise<FileHandle>;
  close(): Promise<void>;
}

/** Undefined if nothing exists there. */
export type Open = (path: string) => Promise<Opened | undefined>;

/** Treats Tidegate's own files as absent. Reads none of them: opening by handle drops no SQLite lock. */
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
