import { readdirSync, readFileSync } from 'node:fs';

/** What one command may use; 0 means no limit. */
export interface Allowance {
  /** MiB. */
  readonly memory: number;
  readonly processes: number;
  readonly cpuSeconds: number;
}

export type Breach = 'memory' | 'processes' | 'cpu_seconds';

export interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly start: string;
  readonly cpuTicks: number;
  readonly pages: number;
}

/** Counts what each command and its descendants use. Reads synchronously, so don't use it on the main thread. */
export interface ProcessFamilies {
  add(pid: number, allowance: Allowance): void;
  remove(pid: number): void;
  /** Checks all processes once, for all commands. */
  look(): readonly { readonly pid: number; readonly breach: Breach }[];
}

/** The functions that read the processes and the clock. */
export interface Looks {
  readonly readAll: () => readonly Seen[];
  /** The proportional memory (PSS) of a process in KiB; undefined if it can't be read. */
  readonly shareOf: (pid: number) => number | undefined;
  readonly now: () => number;
}

interface Family {
  readonly pid: number;
  readonly allowance: Allowance;
  /** By pid, with the start time: a known process stays known after its parent ends. */
  known: ReadonlyMap<number, Seen>;
  readonly shares: Map<number, Share>;
}

interface Share {
  readonly start: string;
  readonly kib: number;
  readonly look: number;
}

const pageKiB = 4;
const ticksPerSecond = 100;
/** The time for exact memory in one check. The kernel walks all pages of a process for it, so families take turns. */
const exactMs = 100;

export function createProcessFamilies(looks: Looks = procLooks): ProcessFamilies {
  const families = new Map<number, Family>();
  let count = 0;

  /** Sorts parents first by start time. The order of pids does not help, because pids wrap around. */
  function group(): void {
    const familyOf = new Map<number, Family>();
    const members = new Map<Family, Map<number, Seen>>([...families.values()].map((one) => [one, new Map()]));
    const before = new Map<number, Family>();
    for (const family of families.values()) for (const pid of family.known.keys()) before.set(pid, family);
    const sorted = [...looks.readAll()].sort((a, b) => Number(a.start) - Number(b.start) || a.pid - b.pid);
    for (const one of sorted) {
      const last = before.get(one.pid);
      const family =
        families.get(one.pid) ??
        (last?.known.get(one.pid)?.start === one.start ? last : familyOf.get(one.parent));
      if (family === undefined) continue;
      familyOf.set(one.pid, family);
      members.get(family)?.set(one.pid, one);
    }
    for (const [family, known] of members) family.known = known;
  }

  function exactMemory(family: Family, until: number): number {
    const { known, shares } = family;
    for (const [pid, { start }] of shares) if (known.get(pid)?.start !== start) shares.delete(pid);
    const lastLook = ({ pid }: Seen): number => shares.get(pid)?.look ?? 0;
    // First processes without a figure, then those with the oldest figure; within each, the largest first.
    const waiting = [...known.values()].sort((a, b) => lastLook(a) - lastLook(b) || b.pages - a.pages);
    for (const { pid, start, pages } of waiting) {
      if (looks.now() > until) break;
      shares.set(pid, { start, kib: looks.shareOf(pid) ?? pages * pageKiB, look: count });
    }
    return [...shares.values()].reduce((sum, { kib }) => sum + kib, 0);
  }

  return {
    add: (pid, allowance) => void families.set(pid, { pid, allowance, known: new Map(), shares: new Map() }),
    remove: (pid) => void families.delete(pid),
    look() {
      if (families.size === 0) return [];
      count += 1;
      group();
      const until = looks.now() + exactMs;
      const found = [...families.values()].flatMap((family) => {
        const breach = breachOf(family, () => exactMemory(family, until));
        return breach === undefined ? [] : [{ pid: family.pid, breach }];
      });
      // The first family uses the available time first, so it goes last next time.
      const [first] = families;
      if (first !== undefined && families.delete(first[0])) families.set(...first);
      return found;
    },
  };
}

function breachOf({ known, allowance }: Family, exactMemory: () => number): Breach | undefined {
  const { memory, processes, cpuSeconds } = allowance;
  let [cpuTicks, pages] = [0, 0];
  for (const one of known.values()) {
    cpuTicks += one.cpuTicks;
    pages += one.pages;
  }
  if (processes > 0 && known.size > processes) return 'processes';
  if (cpuSeconds > 0 && cpuTicks > cpuSeconds * ticksPerSecond) return 'cpu_seconds';
  const maxKiB = memory * 1024;
  // This counts shared pages once per process, so the exact sum decides.
  if (maxKiB === 0 || pages * pageKiB <= maxKiB) return undefined;
  return exactMemory() > maxKiB ? 'memory' : undefined;
}

const procLooks: Looks = { readAll, shareOf, now: () => performance.now() };

function readAll(): readonly Seen[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^[1-9]\d*$/.test(name) ? readOne(name) : []));
  } catch {
    return [];
  }
}

function readOne(name: string): readonly Seen[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    // The program name is in parentheses and may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const number = (index: number): number => Number(fields[index] ?? 0);
    if (fields[0] === 'Z' || fields[0] === 'X') return [];
    // The process's own time, and that of the children it waited for.
    const cpuTicks = number(11) + number(12) + number(13) + number(14);
    return [{ pid: Number(name), parent: number(1), cpuTicks, start: fields[19] ?? '', pages: number(21) }];
  } catch {
    // The process ended during the read.
    return [];
  }
}

function shareOf(pid: number): number | undefined {
  try {
    const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'latin1'));
    return found?.[1] === undefined ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
