/** Reads Linux's /proc. On other systems every result is empty. */
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { reaperName } from './mark.js';

export interface Stat {
  readonly pid: number;
  readonly group: number;
  /** Clock ticks since boot: together with the pid, it identifies a process. */
  readonly startTime: string;
  readonly isZombie: boolean;
}

const maxDescendants = 4096;
/** Longer than a process has no environment during exec. */
const execMs = 5;
/** How many processes to check before yielding. */
const turnSize = 200;

export async function readStat(pid: number): Promise<Stat | undefined> {
  return parseStat(pid, await readProc(`${pid}/stat`));
}

function parseStat(pid: number, text: string): Stat | undefined {
  // The command name is in parentheses and may contain spaces and parentheses.
  const [state, , group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[16];
  if (state === undefined || group === undefined || startTime === undefined) return undefined;
  return { pid, group: Number(group), startTime, isZombie: state === 'Z' || state === 'X' };
}

/** Refreshed: a process may have left its group since. */
export function keepRunning(processes: readonly Stat[]): readonly Stat[] {
  return processes.map(lookAgain).filter((stat) => stat !== undefined);
}

/** The current state of that process; undefined if it ended or its pid was reused. */
function lookAgain({ pid, startTime }: Stat): Stat | undefined {
  const now = readStatNow(pid);
  return now !== undefined && !now.isZombie && now.startTime === startTime ? now : undefined;
}

interface MarkOptions {
  readonly since?: number;
  readonly isInOurGroup?: boolean;
  readonly fileLimitMark?: number | undefined;
}

/**
 * Every process whose environment holds the text, in any session and under any parent, that started no
 * earlier than the given time: a descendant is never older than the child. Skips our own group unless the
 * child is in it, because a process left by a dead gateway may have started this one.
 */
export async function findMarked(
  needle: string,
  { since = 0, isInOurGroup = false, fileLimitMark }: MarkOptions = {},
): Promise<readonly Stat[]> {
  const own = isInOurGroup ? undefined : readOwnGroup();
  const asked = (await listRunning()).filter((stat) => Number(stat.startTime) >= since && stat.group !== own);
  const found: Stat[] = [];
  const unclear: Stat[] = [];
  for (const stat of asked) {
    const environment = await readProc(`${stat.pid}/environ`);
    if (environment.includes(needle) || (await hasFileLimit(stat.pid, fileLimitMark))) found.push(stat);
    else if (environment === '' && since > 0) unclear.push(stat);
  }
  // A process has no environment during exec, so check those without one twice; skip those that ended.
  const starting = keepRunning(unclear);
  if (starting.length > 0) await new Promise((resolve) => setTimeout(resolve, execMs));
  for (const stat of starting) {
    if ((await readProc(`${stat.pid}/environ`)).includes(needle)) found.push(stat);
  }
  return keepRunning(found);
}

/** Whether the process has this hard limit of open files, which it can lower but not raise. */
async function hasFileLimit(pid: number, limit: number | undefined): Promise<boolean> {
  if (limit === undefined) return false;
  const found = /^Max open files\s+\S+\s+(\d+)/m.exec(await readProc(`${pid}/limits`));
  return found?.[1] === String(limit);
}

/** A signal reaches zombies too, so only the table shows which members still run. */
export async function listRunningMembers(group: number): Promise<readonly number[]> {
  return (await listRunning()).filter((stat) => stat.group === group).map(({ pid }) => pid);
}

/** Synchronous, because yielding for each process would take longer than the work. */
async function listRunning(): Promise<readonly Stat[]> {
  const running: Stat[] = [];
  for (const [index, pid] of (await listPids()).entries()) {
    if (index % turnSize === turnSize - 1) await new Promise((resolve) => setImmediate(resolve));
    const stat = readStatNow(pid);
    if (stat !== undefined && !stat.isZombie) running.push(stat);
  }
  return running;
}

/** Unlike the environment, which is in the memory of the process, this read never blocks. */
export function readStatNow(pid: number): Stat | undefined {
  const text = readOwn(() => readShort(`/proc/${pid}/stat`));
  return parseStat(pid, text);
}

/** Longer than any line of `stat`. */
const shortFile = Buffer.allocUnsafeSlow(2048);

/** One shared buffer: `readFile` allocates 64 KiB for each file of /proc, and a scan reads one per process. */
function readShort(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    return shortFile.toString('latin1', 0, readSync(descriptor, shortFile, 0, shortFile.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Current descendants: finds processes that cleared their environment, if still attached. */
export async function listDescendants(pid: number): Promise<readonly Stat[]> {
  const found: Stat[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const child of await listChildren(next)) {
      const stat = await readStat(child);
      if (stat === undefined || found.length >= maxDescendants) continue;
      waiting.push(child);
      if (!(await isReaper(child))) found.push(stat);
    }
  }
  return found;
}

/** Undefined if unknown. */
export function readOwnGroup(): number | undefined {
  return readStatNow(process.pid)?.group;
}

/** Synchronous, because the first child waits for it. */
export function readOwnStartTime(): string {
  return readStatNow(process.pid)?.startTime ?? '';
}

/** Identifies this machine, boot and pid namespace among others that share the state directory. */
export function readSystemId(): string {
  const boot = readOwn(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = readOwn(() => readlinkSync('/proc/self/ns/pid'));
  return `${boot} ${namespace}`.trim();
}

async function listChildren(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists: string[] = [];
  for (const thread of threads) lists.push(await readProc(`${pid}/task/${thread}/children`));
  return lists.join(' ').split(' ').filter(isPid).map(Number);
}

async function isReaper(pid: number): Promise<boolean> {
  return (await readProc(`${pid}/environ`)).includes(`${reaperName}=`);
}

async function listPids(): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  return (await readdir('/proc').catch(() => [])).filter(isPid).map(Number);
}

function isPid(name: string): boolean {
  return /^[1-9][0-9]*$/.test(name);
}

/** Empty if the process is gone or belongs to another user: in both cases it is not ours to end. */
async function readProc(path: string): Promise<string> {
  if (process.platform !== 'linux') return '';
  return readFile(`/proc/${path}`, 'latin1').catch(() => '');
}

function readOwn(read: () => string): string {
  if (process.platform !== 'linux') return '';
  try {
    return read();
  } catch {
    // Gone, or a hardened /proc: only pids are left.
    return '';
  }
}
