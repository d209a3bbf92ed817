import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { foldedName } from '../../lib/folded-name.js';

/** Where the files of Tidegate are, by the names that the configuration gives them. Absolute; they need not exist. */
export interface OwnPlaces {
  readonly roots: readonly string[];
  readonly stateDir: string;
  /** State folders of other gateways of this user: private too, where they exist. */
  readonly otherStateDirs?: readonly string[];
  readonly files: readonly PrivateFile[];
  /** Files and folders that decide who may do what. */
  readonly governing: readonly string[];
  /** Names under which such files would be found. Links are not followed: a caller could point one at any file. */
  readonly governingNames?: readonly string[];
  /** What runs with the operator's rights: the gateway, servers, tools. Callers may read it and must not change it. */
  readonly program: readonly string[];
  /** What must not come to exist, because such a program would load it. */
  readonly absent?: readonly string[];
}

/** A file beside which others come to be: WAL and shm of a store, rotated logs. */
export interface PrivateFile {
  readonly kind: 'store' | 'log';
  readonly path: string;
}

/** The places as they are resolved now: links and folders may have changed since the last call. */
export interface ResolvedPlaces {
  readonly roots: readonly string[];
  readonly stateDirs: readonly string[];
  readonly stores: readonly string[];
  readonly logs: readonly string[];
  readonly governing: readonly string[];
  readonly program: readonly string[];
  readonly absent: readonly string[];
  /** Pseudo file systems: processes, devices and the kernel. Never part of a root. */
  readonly system: readonly string[];
  /** `.tidegate/output` of each root. */
  readonly output: readonly string[];
}

/** Tells the companions of a private file by what follows its name. */
export const companionEnding = /^(?:-(?:wal|shm|journal|reserve)|[.-](?:bak|backup|old|corrupt|\d).*|~)$/s;

/** The real path, also of what does not exist yet: then that of the folder which is there, and the rest as written. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}

/** Where a path leads, and the name itself where that is a link. */
export function namesOf(path: string): readonly string[] {
  return [...new Set([nameOf(path), realOf(path)])];
}

/** The path itself, in its real folder. */
export function nameOf(path: string): string {
  const parent = dirname(path);
  return parent === path ? path : join(realOf(parent), basename(path));
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function folded(path: string): string {
  return path.split(sep).map(foldedName).join(sep);
}
