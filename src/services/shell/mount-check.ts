import { readFileSync } from 'node:fs';
import { isInside } from './inside.js';

interface HostMount {
  readonly device: string;
  /** The part of the file system that is mounted, as the kernel writes it. */
  readonly root: string;
  readonly point: string;
}

export interface CheckedMounts {
  /** Paths that are mounted on themselves. */
  readonly bound: readonly string[];
  /** Folders under a new memory file system. */
  readonly emptied: readonly string[];
  /** Files under `/dev/null`. */
  readonly nulled: readonly string[];
}

/**
 * The ends of the lines that `/proc/self/mountinfo` must have in the sandbox, see `inSandbox`. Mounts are made by name,
 * and a command of another gateway, or one that began with other mounts, can replace a folder with a link at that
 * moment. Then the sandbox would show, and let the command change, whatever the link points to.
 */
export function expectedMounts({ bound, emptied, nulled }: CheckedMounts): readonly string[] {
  const host = readHostMounts();
  const sourceOf = (path: string): string => {
    const { device, root, point } = host.findLast((mount) => isInside(path, mount.point)) ?? missing(path);
    const below = point === '/' ? path : path.slice(point.length);
    return `${device} ${root === '/' && below !== '' ? '' : root}${below}`;
  };
  const nothing = nulled.length === 0 ? '' : sourceOf('/dev/null');
  return [
    ...bound.map(escaped).map((path) => `${sourceOf(path)} ${path}`),
    ...emptied.map((path) => ` / ${escaped(path)}`),
    ...nulled.map((path) => `${nothing} ${escaped(path)}`),
  ];
}

/** Innermost last. Of mounts at the same point, the last covers the others. */
function readHostMounts(): readonly HostMount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').slice(0, -1);
  const mounts = lines.map((line) => {
    const [, , device = '', root = '', point = ''] = line.split(' ');
    return { device, root, point };
  });
  return mounts.sort((one, other) => one.point.length - other.point.length);
}

function missing(path: string): never {
  throw new Error(`${path} is not on a mounted file system`);
}

/** As the kernel writes paths. */
function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
