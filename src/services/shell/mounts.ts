import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from './inside.js';
import type { Placeholders } from './placeholders.js';
import { type Access, planProtection } from './protection.js';
import { repositoryOf } from './worktree.js';

export interface MountParts {
  readonly roots: readonly string[];
  readonly protectedPaths: (root: string) => readonly string[];
  readonly placeholders: Placeholders;
  /** What commands see as /tmp. */
  readonly temporary: string;
  /** The gate's own: commands do not see it. */
  readonly stateDir: string;
  /** The paths that each command which runs now has as mount points of its own. */
  readonly held: () => readonly ReadonlySet<string>[];
}

export interface Mounts {
  readonly args: readonly string[];
  /** The paths of the roots that are mount points for this command, which it can therefore not exchange. */
  readonly points: ReadonlySet<string>;
  /** Protected files that do not exist. */
  readonly absent: readonly string[];
  /** Called when the sandbox is gone. */
  release(): void;
}

/** The network stays that of the host: see the README. */
export const namespaceArgs: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
];

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

/** Everything is read-only but the roots, the repositories they are worktrees of, and /tmp; so is what is protected. */
export function layMounts(parts: MountParts): Mounts {
  const held = parts.placeholders.held();
  const repositories = parts.roots.map(repositoryOf).filter((repository) => repository !== undefined);
  const plans = [
    ...repositories.map(({ folder, protectedPaths }) => planProtection(folder, protectedPaths, held)),
    ...parts.roots.map((root) => planProtection(root, parts.protectedPaths(root), held)),
  ];
  const release = parts.placeholders.hold(plans.flatMap(({ missing }) => missing));
  const accesses = new Map(plans.flatMap(({ paths }) => [...paths]));
  const grounds = [...parts.roots, ...repositories.map(({ folder }) => folder)];
  const steady = [...accesses].filter(([path]) => existsSync(path) && isSteady(path, grounds, parts.held()));
  const inRoots = steady.map(mountOf);
  const mounts = [...systemMounts(), temporaryMount(parts), ...stateMount(parts), ...inRoots];
  const points = new Set(steady.map(([path]) => path));
  return { args: inOrder(mounts), points, absent: plans.flatMap(({ absent }) => absent), release };
}

/**
 * A mount is laid by name, and a command that runs beside could put a link to somewhere else in its place at that very
 * moment; unless the path and every folder above it are mount points for that command too, which nobody can rename.
 */
function isSteady(path: string, grounds: readonly string[], held: readonly ReadonlySet<string>[]): boolean {
  if (grounds.includes(path)) return true;
  return held.every((points) => points.has(path) && isSteady(dirname(path), grounds, [points]));
}

/** What a trial needs: nothing of a workspace, so that no workspace can make it fail. */
export function bareMounts(): readonly string[] {
  return inOrder([...systemMounts(), { path: realOf('/tmp'), args: ['--tmpfs', realOf('/tmp')] }]);
}

/** Later mounts lie on earlier ones, and no folder sorts after what is in it. */
function inOrder(mounts: readonly Mount[]): readonly string[] {
  const sorted = [...mounts].sort((one, other) => (one.path < other.path ? -1 : 1));
  return sorted.flatMap(({ args }) => args);
}

const kernelControls = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'scsi', 'mtrr', 'pressure'].map(
  (name) => `/proc/${name}`,
);

function systemMounts(): readonly Mount[] {
  return [
    { path: '/', args: ['--ro-bind', '/', '/'] },
    { path: '/dev', args: ['--dev', '/dev'] },
    { path: '/proc', args: ['--proc', '/proc'] },
    // To root these are open in every namespace, and some of them make the kernel run programs.
    ...kernelControls.filter(existsSync).map((path) => mountOf([path, 'fixed'])),
    ...['/run', '/var/run'].filter(isFolder).map(hide),
    ...neededOfRun(),
  ];
}

/** /run is hidden for its sockets, but names are resolved and programs found through it on some systems. */
function neededOfRun(): readonly Mount[] {
  const needed: Mount[] = [];
  const resolver = realOf('/etc/resolv.conf');
  if (isInside(resolver, '/run') && existsSync(resolver)) needed.push(mountOf([resolver, 'fixed']));
  const system = '/run/current-system';
  if (lstatSync(system, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    needed.push({ path: system, args: ['--symlink', readlinkSync(system), system] });
  return needed;
}

/**
 * The same folder for every command of a session, as agents expect of /tmp. With a root below it that would be a
 * way for one command to move the ground under the mounts of the next, so then each gets a fresh one.
 */
function temporaryMount({ roots, temporary }: MountParts): Mount {
  const path = realOf('/tmp');
  const isShared = roots.some((root) => isInside(root, path));
  return { path, args: isShared ? ['--tmpfs', path] : ['--bind', temporary, path] };
}

function stateMount({ roots, stateDir }: MountParts): readonly Mount[] {
  const path = realOf(stateDir);
  if (!isFolder(path) || roots.includes(path)) return [];
  const isCovered = isInside(path, realOf('/tmp')) && !roots.some((root) => isInside(path, root));
  return isCovered ? [] : [hide(path)];
}

function hide(path: string): Mount {
  return { path, args: ['--tmpfs', path] };
}

function mountOf([path, access]: readonly [string, Access]): Mount {
  return { path, args: [access === 'fixed' ? '--ro-bind' : '--bind', path, path] };
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
