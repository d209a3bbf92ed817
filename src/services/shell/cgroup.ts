import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Controller, findHierarchies, type Hierarchy } from './cgroup-hierarchies.js';
import { type ShellLimits, threadsOf } from './limits.js';

/** A cgroup for one command: the kernel counts what the command and its descendants use. */
export interface Cgroup {
  /** One folder per hierarchy. A process joins by writing its id to `cgroup.procs` in each. */
  readonly folders: readonly string[];
  /** True if the kernel limits the memory of all processes together. */
  readonly holdsMemory: boolean;
  /** The limit at which the kernel killed a process or refused a new one. */
  breach(): 'memory' | 'processes' | undefined;
  /** Kills the remaining processes and removes the cgroup. */
  close(): Promise<void>;
}

/** Creates folders, but records them first. The returned function removes them. */
interface Folders {
  hold(paths: readonly string[]): () => void;
}

export type OpenCgroup = (limits: ShellLimits) => Cgroup | undefined;

const closeMs = 2000;
const lookMs = 20;

/**
 * Creates a cgroup for each command where the system allows it. The placeholder record lists its folders before they
 * exist, so that the reaper or the next gateway can remove them after a kill.
 */
export function createCgroups(
  folders: Folders,
  owner: string,
  find: () => readonly Hierarchy[] = findHierarchies,
): OpenCgroup {
  let hierarchies: readonly Hierarchy[] | undefined;
  let made = 0;
  return (limits) => {
    hierarchies ??= find();
    made += 1;
    const name = `tidegate.${owner}.${String(made)}`;
    const opened = hierarchies.flatMap((hierarchy) => {
      const settings = settingsOf(hierarchy, limits);
      if (settings.length === 0) return [];
      const folder = join(hierarchy.parent, name);
      const release = folders.hold([folder]);
      if (settings.every((setting) => apply(folder, setting))) return [{ ...hierarchy, folder, release }];
      release();
      return [];
    });
    if (opened.length === 0) return undefined;
    return {
      folders: opened.map(({ folder }) => folder),
      holdsMemory: opened.some(({ controllers }) => controllers.includes('memory')),
      breach: () => opened.flatMap(breachesIn)[0],
      async close() {
        await Promise.all(opened.map(({ folder }) => emptyGroup(folder)));
        for (const { release } of opened) release();
      },
    };
  };
}

interface Setting {
  readonly file: string;
  readonly value: string;
  /** Some kernels lack it, and the limit works without it. */
  readonly isOptional?: true;
}

function settingsOf({ version, controllers }: Hierarchy, limits: ShellLimits): readonly Setting[] {
  const has = (controller: Controller, limit: number): boolean =>
    limit > 0 && controllers.includes(controller);
  const bytes = String(limits.memory * 1024 * 1024);
  const memory: readonly Setting[] =
    version === 2
      ? [
          { file: 'memory.max', value: bytes },
          { file: 'memory.swap.max', value: '0', isOptional: true },
          { file: 'memory.oom.group', value: '1', isOptional: true },
        ]
      : [
          { file: 'memory.limit_in_bytes', value: bytes },
          // Memory plus swap; the kernel accepts it only after the memory limit is set.
          { file: 'memory.memsw.limit_in_bytes', value: bytes, isOptional: true },
        ];
  return [
    ...(has('memory', limits.memory) ? memory : []),
    ...(has('pids', limits.processes)
      ? [{ file: 'pids.max', value: String(threadsOf(limits.processes)) }]
      : []),
  ];
}

function apply(folder: string, { file, value, isOptional }: Setting): boolean {
  try {
    // Never creates a file: a folder that is not a cgroup lacks it.
    writeFileSync(join(folder, file), value, { flag: 'r+' });
    return true;
  } catch {
    return isOptional === true;
  }
}

/** A kill by the kernel counts only if this group reached its limit: the whole machine can run out of memory too. */
function breachesIn({ version, folder }: Hierarchy & { readonly folder: string }) {
  const events = version === 2 ? 'memory.events' : 'memory.oom_control';
  const numberIn = (file: string): number => Number(textOf(join(folder, file)));
  // New kernels no longer count failures in v1, so this compares the peak.
  const hasReached =
    version === 2
      ? counterIn(folder, events, 'max') > 0
      : numberIn('memory.max_usage_in_bytes') > 0.9 * numberIn('memory.limit_in_bytes');
  return [
    ...(hasReached && counterIn(folder, events, 'oom_kill') > 0 ? (['memory'] as const) : []),
    ...(counterIn(folder, 'pids.events', 'max') > 0 ? (['processes'] as const) : []),
  ];
}

function counterIn(folder: string, file: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(textOf(join(folder, file)))?.[1] ?? 0);
}

/** Kills every process in a cgroup and waits until the kernel has removed them. */
export async function emptyGroup(folder: string): Promise<void> {
  const until = performance.now() + closeMs;
  for (let pids = membersOf(folder); pids.length > 0; pids = membersOf(folder)) {
    for (const pid of pids) end(pid);
    if (performance.now() > until) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

function membersOf(folder: string): readonly number[] {
  if (!existsSync(folder)) return [];
  // A process outside this pid namespace is listed as 0, which `kill` would take for our own group.
  return textOf(join(folder, 'cgroup.procs'))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 1);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended in the meantime.
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
