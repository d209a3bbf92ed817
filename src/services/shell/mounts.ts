import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OwnMasks } from '../../ports/own-paths.js';
import { createCallFilter } from './call-filter.js';
import { insideAny, isInside } from './inside.js';
import type { KnownNames } from './known-names.js';
import { expectedMounts } from './mount-check.js';
import type { Placeholders } from './placeholders.js';
import { type Access, planProtection } from './protection.js';
import type { ProtectedPlaces } from './protected-places.js';
import { isAbsent, lookAt } from './plain-file.js';
import { cannotHide } from './refusals.js';

export interface MountParts {
  readonly roots: readonly string[];
  readonly placeholders: Placeholders;
  /** The folder that commands see as /tmp. */
  readonly temporary: string;
  /** Folders outside the roots that commands may write to: real paths, none inside a root or its repository. */
  readonly writable: readonly string[];
  /** Tidegate's own paths, and the folder of this principal's output. */
  readonly own: OwnMasks;
  readonly names: KnownNames;
  readonly outputName: string;
  /** The mount points of each command that runs now. */
  readonly held: () => readonly ReadonlySet<string>[];
}

export interface Mounts {
  readonly args: readonly string[];
  /** See `expectedMounts`. */
  readonly expected: readonly string[];
  /** The paths in the roots that are mount points for this command, so it can't replace them. */
  readonly points: ReadonlySet<string>;
  /** True for paths that stay read-only for this command unless an outside process removes the mount point. */
  isKept(path: string): boolean;
  readonly fixed: readonly string[];
  /** True for paths under a read-only mount, even if an outside process removes the mount point. */
  isFixed(path: string): boolean;
  /** Call when the sandbox is gone. */
  release(): void;
}

/** The sandbox shares the host's network: see the README. */
export const namespaceArgs: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
  // Elsewhere the system call filter does this, with older versions of bubblewrap too.
  ...(createCallFilter() === undefined ? ['--disable-userns'] : []),
];

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

/**
 * Makes everything read-only except the roots, the repositories that they are worktrees of, the folders that the
 * operator added, and /tmp. Protected paths stay read-only inside them. Hides Tidegate's own files, except those that
 * this caller may see.
 */
export function layMounts(parts: MountParts, { grounds: found, paths, links }: ProtectedPlaces): Mounts {
  const grounds = [...found, ...parts.writable];
  const isInGround = (path: string): boolean => grounds.some((ground) => isInside(path, ground));
  const running = parts.held();
  const own = parts.names.settle(parts.own, (path) => !isInGround(path) || isSteady(path, grounds, running));
  const held = parts.placeholders.held();
  // The slash requests a placeholder: a path created while the command runs must already be masked.
  const hidden = own.hidden.map((path) => (existsSync(path) && !held.has(path) ? path : `${path}/`));
  const absent = own.absent.map((path) => `${path}/`);
  const rows = [...paths, ...own.fixed, ...absent, ...hidden];
  const plans = grounds.map((ground) => planProtection(ground, rows, held));
  // Other gateways have output too: in a ground, or outside it where commands can only read.
  const output = own.output.filter((path) => isInGround(path) && existsSync(dirname(dirname(path))));
  const outside = [...own.hidden, ...own.output.filter(isFilled)].filter((path) => !isInGround(path));
  const missing = new Set([
    ...plans.flatMap((plan) => plan.missing),
    ...output.flatMap((path) => [dirname(path), path]).filter((path) => !existsSync(path) || held.has(path)),
  ]);
  const masked = new Set([...own.hidden.filter(isInGround), ...output]);
  const accesses = new Map(plans.flatMap((plan) => [...plan.paths]));
  for (const path of [...masked, ...own.fixed.filter(isInGround)]) fixWithFolders(accesses, path, grounds);
  for (const link of links.keys()) holdFolders(accesses, link, grounds);
  // A path in a folder that is fixed as a whole is not in the plan and needs no mount.
  const planned = own.absent.filter((path) => accesses.has(path));
  const ours = [...masked, ...own.fixed.filter(isInGround), ...planned];
  if (!ours.every((path) => isSteady(path, grounds, running))) throw cannotHide();
  const release = parts.placeholders.hold([...missing]);
  const isThere = (path: string): boolean => {
    const isFound = isPresent(path);
    if (isFound !== undefined) return isFound;
    release();
    throw cannotHide();
  };
  const steady = [...accesses].filter(([path]) => isThere(path) && isSteady(path, grounds, running));
  const inRoots = steady.filter(([path]) => !masked.has(path)).map(mountOf);
  const masks = [...[...masked].filter(isThere), ...outside];
  const laid = masks.filter((path) => !isCovered(path, grounds));
  const mounts = [
    ...systemMounts(),
    temporaryMount(parts),
    ...inRoots,
    ...laid.map(maskOf),
    ...ownOutput(parts),
  ];
  const fixed = steady.filter(([, access]) => access === 'fixed').map(([path]) => path);
  const kept = fixed.filter((path) => missing.has(path) || isFilled(path));
  return {
    args: [...inOrder(mounts), ...laid.filter(isFolder).flatMap(lock)],
    expected: expectedMounts({
      bound: inRoots.map(({ path }) => path),
      emptied: laid.filter(isFolder),
      nulled: laid.filter((path) => !isFolder(path)),
    }),
    points: new Set(steady.map(([path]) => path)),
    fixed,
    isKept: insideAny(kept),
    isFixed: insideAny(fixed),
    release,
  };
}

/** The plan omits paths in a folder that is fixed as a whole; a mask needs mount points on the whole way. */
function fixWithFolders(accesses: Map<string, Access>, path: string, grounds: readonly string[]): void {
  accesses.set(path, 'fixed');
  for (let folder = dirname(path); !grounds.includes(folder); folder = dirname(folder))
    if (!accesses.has(folder)) accesses.set(folder, 'fixed');
}

/** No mount can hold a link, but the watch restores it where no command can replace its folders. */
function holdFolders(accesses: Map<string, Access>, link: string, grounds: readonly string[]): void {
  const ground = grounds.find((one) => isInside(link, one) && link !== one);
  if (ground === undefined) return;
  const folders: string[] = [];
  for (let folder = dirname(link); folder !== ground; folder = dirname(folder)) folders.push(folder);
  if (folders.some((folder) => accesses.get(folder) === 'fixed')) return;
  for (const folder of folders) accesses.set(folder, 'writable');
}

/**
 * An empty folder may be the placeholder of a gateway with another state folder, which may remove it too early. An
 * outside program that saves a file replaces it, and no mount covers the new file.
 */
function isFilled(path: string): boolean {
  return isFolder(path) && readdirSync(path).length > 0;
}

/**
 * Mounts are made by name, and at that moment a running command could replace the path with a link. It can't if the
 * path and every folder above it are mount points for that command too.
 */
function isSteady(path: string, grounds: readonly string[], held: readonly ReadonlySet<string>[]): boolean {
  if (grounds.includes(path)) return true;
  return held.every((points) => points.has(path) && isSteady(dirname(path), grounds, [points]));
}

/** The mounts of a trial: nothing from a workspace, so that no workspace can make it fail. */
export function bareMounts(): readonly string[] {
  return inOrder([...systemMounts(), { path: realOf('/tmp'), args: ['--tmpfs', realOf('/tmp')] }]);
}

/** Later mounts cover earlier ones, and a folder always sorts before its content. */
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
    // Root can open these in every namespace, and some make the kernel run programs.
    ...kernelControls.filter(existsSync).map((path) => mountOf([path, 'fixed'])),
    ...['/run', '/var/run'].filter(isFolder).map(hide),
    ...neededOfRun(),
  ];
}

/** /run is hidden because of its sockets, but some systems need it to resolve names and find programs. */
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
 * All commands of a session share one folder, as agents expect of /tmp. If a root is below /tmp, one command could use
 * it to move the ground under the next command's mounts, so each command gets a fresh one.
 */
function temporaryMount({ roots, writable, temporary }: MountParts): Mount {
  const path = realOf('/tmp');
  const isShared = [...roots, ...writable].some((root) => isInside(root, path));
  return { path, args: isShared ? ['--tmpfs', path] : ['--bind', temporary, path] };
}

/** Commands don't see paths in /tmp that are outside the grounds. */
function isCovered(path: string, grounds: readonly string[]): boolean {
  return isInside(path, realOf('/tmp')) && !grounds.some((ground) => isInside(path, ground));
}

/** An empty folder, or a device that can't be opened there: programs that walk a tree skip it. */
function maskOf(path: string): Mount {
  return isFolder(path) ? hide(path) : { path, args: ['--ro-bind', '/dev/null', path] };
}

/** Otherwise a command's writes to a masked folder would be lost without an error. */
function lock(path: string): readonly string[] {
  return ['--remount-ro', path];
}

/** The caller's own folder inside the masked output folders. */
function ownOutput({ own, outputName }: MountParts): readonly Mount[] {
  return own.output
    .map((folder) => join(folder, outputName))
    .filter(isFolder)
    .map((path) => mountOf([path, 'fixed']));
}

function hide(path: string): Mount {
  return { path, args: ['--tmpfs', path] };
}

function mountOf([path, access]: readonly [string, Access]): Mount {
  return { path, args: [access === 'fixed' ? '--ro-bind' : '--bind', path, path] };
}

/** Undefined if the path can't be read: no mount can cover it, and a command could restore the permissions later. */
function isPresent(path: string): boolean | undefined {
  if (existsSync(path)) return true;
  if (isAbsent(path) || lookAt(path)?.isSymbolicLink() === true) return false;
  return undefined;
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
