import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Controller = 'memory' | 'pids';

/** A cgroup in which this process may create others, and the controllers that limit those. */
export interface Hierarchy {
  readonly version: 1 | 2;
  readonly parent: string;
  readonly controllers: readonly Controller[];
}

/** The only accepted location: the reaper ends processes of folders below it, and no command can write to it. */
export const cgroupHome = '/sys/fs/cgroup';
const controllers = ['memory', 'pids'] as const;

interface Mounted {
  readonly type: string;
  readonly options: readonly string[];
  /** The cgroup at the mount point. */
  readonly root: string;
  readonly point: string;
}

export interface CgroupTables {
  /** `/proc/self/mountinfo` */
  readonly mounts: string;
  /** `/proc/self/cgroup` */
  readonly own: string;
}

/** Each controller is in one hierarchy: a separate v1 one, or the unified one. */
export function findHierarchies(tables: CgroupTables | undefined = readTables()): readonly Hierarchy[] {
  if (tables === undefined) return [];
  const mounts = readMounts(tables.mounts);
  const lines = tables.own.split('\n').map((line) => /^\d+:([^:]*):(\/.*)$/.exec(line));
  const places = (type: string, name: string): readonly string[] => {
    const path = lines.find((line) => line?.[1]?.split(',').includes(name))?.[2];
    const mount = mounts.find((one) => one.type === type && (name === '' || one.options.includes(name)));
    const place = path === undefined || mount === undefined ? undefined : placeOf(mount, path);
    return place === undefined ? [] : [place];
  };
  const old = controllers.flatMap((controller) =>
    places('cgroup', controller)
      .filter(isWritable)
      .map((parent): Hierarchy => ({ version: 1, parent, controllers: [controller] })),
  );
  return [...old, ...places('cgroup2', '').flatMap(unifiedAt).slice(0, 1)];
}

/**
 * A unified cgroup that contains processes can't limit groups inside it, so the cgroup of this process rarely helps.
 * Its parent helps if it was delegated, as in a systemd session.
 */
function unifiedAt(own: string): readonly Hierarchy[] {
  const above = own === cgroupHome ? [] : [dirname(own)];
  return [own, ...above].filter(isWritable).flatMap((parent) => {
    const enabled = enabledIn(parent);
    return enabled.length === 0 ? [] : [{ version: 2, parent, controllers: enabled }];
  });
}

function enabledIn(parent: string): readonly Controller[] {
  const wordsIn = (file: string): readonly string[] => readText(join(parent, file))?.trim().split(' ') ?? [];
  const available = wordsIn('cgroup.controllers');
  for (const name of controllers.filter((one) => available.includes(one)))
    if (!wordsIn('cgroup.subtree_control').includes(name)) enable(parent, name);
  return controllers.filter((name) => wordsIn('cgroup.subtree_control').includes(name));
}

function enable(parent: string, name: Controller): void {
  try {
    writeFileSync(join(parent, 'cgroup.subtree_control'), `+${name}`, { flag: 'r+' });
  } catch {
    // The cgroup contains processes, or this process may not change it.
  }
}

function readMounts(text: string): readonly Mounted[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ');
    const [type = '', , options = ''] = after.split(' ');
    const isOurs = point === cgroupHome || point.startsWith(`${cgroupHome}/`);
    return isOurs ? [{ type, root, point, options: options.split(',') }] : [];
  });
}

/** The cgroup's path below its mount point; undefined if the mount does not include it. */
function placeOf({ root, point }: Mounted, path: string): string | undefined {
  if (path.split('/').includes('..')) return undefined;
  if (root === '/') return join(point, path);
  return path === root || path.startsWith(`${root}/`) ? join(point, path.slice(root.length)) : undefined;
}

function isWritable(folder: string): boolean {
  try {
    // Moving a process needs write access to this file in the common parent.
    for (const path of [folder, join(folder, 'cgroup.procs')]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readTables(): CgroupTables | undefined {
  const [mounts, own] = [readText('/proc/self/mountinfo'), readText('/proc/self/cgroup')];
  return mounts === undefined || own === undefined ? undefined : { mounts, own };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
