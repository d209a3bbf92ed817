import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Controller, findHierarchies, type Hierarchy } from './cgroup-hierarchies.js';
import { type ShellLimits, threadsOf } from './limits.js';

/** A cgroup for one command: the kernel counts what the command and everything that it starts use. */
export interface Cgroup {
  /** Folders, one for each hierarchy. A process that writes its id to `cgroup.procs` of each joins. */
  readonly folders: readonly string[];
  /** The kernel limits the memory of all processes together. */
  readonly holdsMemory: boolean;
  /** The limit at which the kernel ended or refused something. */
  breach(): 'memory' | 'processes' | undefined;
  /** Ends what is still in it, and removes it. */
  close(): Promise<void>;
}

/** Makes folders, and records them first. The returned function removes them. */
interface Folders {
  hold(paths: readonly string[]): () => void;
}

export type OpenCgroup = (limits: ShellLimits) => Cgroup | undefined;

const closeMs = 2000;
const lookMs = 20;

/**
 * Makes a cgroup for each command where the system allows it. The record of the placeholders names its folders before
 * they exist, so the reaper, or the next gateway, removes them after a kill.
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
  /** Not every kernel has it, and the limit holds without it. */
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
          // Memory and swap together, so after the limit of memory alone.
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
    // Never creates a file: a folder that is no cgroup has none.
    writeFileSync(join(folder, file), value, { flag: 'r+' });
    return true;
  } catch {
    return isOptional === true;
  }
}

/** An end by the kernel counts only where the limit of this group was reached: the machine itself can run out too. */
function breachesIn({ version, folder }: Hierarchy & { readonly folder: string }) {
  const events = version === 2 ? 'memory.events' : 'memory.oom_control';
  const numberIn = (file: string): number => Number(textOf(join(folder, file)));
  // New kernels count no failures of the old kind any more, so the peak tells.
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

/** Ends every process of a cgroup, and waits until the kernel has let go of them. */
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
  // A process that this pid namespace does not have is 0, which `kill` takes for our own group.
  return textOf(join(folder, 'cgroup.procs'))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 1);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
