import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { foldedName } from '../../lib/folded-name.js';

/** Where Tidegate's files are, under the names in the configuration. Absolute; they may not exist. */
export interface OwnPlaces {
  readonly roots: readonly string[];
  readonly stateDir: string;
  /** State folders of this user's other gateways; private if they exist. */
  readonly otherStateDirs?: readonly string[];
  readonly files: readonly PrivateFile[];
  /** Roots of other gateways, whose long output is private too. */
  readonly outputRoots?: readonly string[];
  /** Files and folders that decide which caller may do what. */
  readonly governing: readonly string[];
  /** Names where Tidegate looks for such files. Links are not followed: a caller could point one at any file. */
  readonly governingNames?: readonly string[];
  /** What runs with the operator's rights: the gateway, servers, tools. Callers may read it but not change it. */
  readonly program: readonly string[];
  /** Paths that must not be created, because such a program would load them. */
  readonly absent?: readonly string[];
}

/** A file with companions next to it: WAL and shm of a store, rotated logs. */
export interface PrivateFile {
  readonly kind: 'store' | 'log';
  readonly path: string;
}

/** The places as resolved for this call: links and folders may have changed since the last one. */
export interface ResolvedPlaces {
  readonly roots: readonly string[];
  readonly stateDirs: readonly string[];
  readonly stores: readonly string[];
  readonly logs: readonly string[];
  readonly governing: readonly string[];
  readonly program: readonly string[];
  readonly absent: readonly string[];
  /** Pseudo file systems: processes, devices and the kernel. Never part of a root, except a root in /dev. */
  readonly system: readonly string[];
  /** `.tidegate/output` of each root. */
  readonly output: readonly string[];
}

/** Matches what follows a private file's name in the name of a companion. */
export const companionEnding = /^(?:-(?:wal|shm|journal|reserve)|[.-](?:bak|backup|old|corrupt|\d).*|~)$/s;

/** The real path. If it does not exist, the real path of the nearest existing folder plus the rest as written. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}

/** The path in its real folder and, if it is a link, its target. */
export function namesOf(path: string): readonly string[] {
  return [...new Set([nameOf(path), realOf(path)])];
}

/** The path in its real folder; a link as the last part is not followed. */
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
