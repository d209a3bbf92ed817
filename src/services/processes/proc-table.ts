/** Reads Linux's /proc. Everywhere else each question has the empty answer. */
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { keeperName } from './mark.js';

export interface Stat {
  readonly pid: number;
  readonly group: number;
  /** Clock ticks since boot: with the pid it names one process for ever. */
  readonly startTime: string;
  readonly isZombie: boolean;
}

const maxDescendants = 4096;
/** Longer than a process is without environment while it starts another program. */
const execMs = 5;

export async function readStat(pid: number): Promise<Stat | undefined> {
  return parseStat(pid, await readProc(`${pid}/stat`));
}

function parseStat(pid: number, text: string): Stat | undefined {
  // The command name stands in parentheses and may itself hold spaces and parentheses.
  const [state, , group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[16];
  if (state === undefined || group === undefined || startTime === undefined) return undefined;
  return { pid, group: Number(group), startTime, isZombie: state === 'Z' || state === 'X' };
}

/** That very process as it is now, in whatever group; undefined when it ended or another one got its pid. */
export async function lookAgain(process: Stat): Promise<Stat | undefined> {
  const now = await readStat(process.pid);
  return now !== undefined && !now.isZombie && now.startTime === process.startTime ? now : undefined;
}

/**
 * Every process whose environment holds the text, whatever session or parent it escaped to. Not our own group:
 * a gate may have been started by what a dead gate left behind. Who just starts another program has no
 * environment for a moment, so those younger than the given process are looked at twice.
 */
export async function findMarked(
  needle: string,
  youngerThan = Number.POSITIVE_INFINITY,
): Promise<readonly Stat[]> {
  const found: Stat[] = [];
  const own = await readStat(process.pid);
  for (const pid of await listPids()) {
    if (!(await readEnvironment(pid, pid > youngerThan)).includes(needle)) continue;
    const stat = await readStat(pid);
    if (stat !== undefined && !stat.isZombie && stat.group !== own?.group) found.push(stat);
  }
  return found;
}

async function readEnvironment(pid: number, isYoung: boolean): Promise<string> {
  const first = await readProc(`${pid}/environ`);
  if (first !== '' || !isYoung) return first;
  const stat = await readStat(pid);
  if (stat === undefined || stat.isZombie) return '';
  await new Promise((resolve) => setTimeout(resolve, execMs));
  return readProc(`${pid}/environ`);
}

/** A signal reaches zombies too, so only the table can tell who of a group still runs. */
export async function listRunningMembers(group: number): Promise<readonly number[]> {
  const members: number[] = [];
  for (const pid of await listPids()) {
    const stat = await readStat(pid);
    if (stat !== undefined && stat.group === group && !stat.isZombie) members.push(pid);
  }
  return members;
}

/** Children of children as they stand now: finds those who cleared their environment, if still attached. */
export async function listDescendants(pid: number): Promise<readonly Stat[]> {
  const found: Stat[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const child of await listChildren(next)) {
      const stat = await readStat(child);
      if (stat === undefined || found.length >= maxDescendants) continue;
      waiting.push(child);
      if (!(await isKeeper(child))) found.push(stat);
    }
  }
  return found;
}

/** Our own place in the world, read at once: it stands in the way of the first child. */
export function readOwnStartTime(): string {
  return (
    parseStat(
      process.pid,
      readOwn(() => readFileSync('/proc/self/stat', 'utf8')),
    )?.startTime ?? ''
  );
}

/** What tells this machine, boot and pid namespace from another that shares the same state directory. */
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

async function isKeeper(pid: number): Promise<boolean> {
  return (await readProc(`${pid}/environ`)).includes(`${keeperName}=`);
}

async function listPids(): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  return (await readdir('/proc').catch(() => [])).filter(isPid).map(Number);
}

function isPid(name: string): boolean {
  return /^[1-9][0-9]*$/.test(name);
}

/** Empty when the process is gone or belongs to someone else: both mean that it is not ours to end. */
async function readProc(path: string): Promise<string> {
  if (process.platform !== 'linux') return '';
  return readFile(`/proc/${path}`, 'latin1').catch(() => '');
}

function readOwn(read: () => string): string {
  if (process.platform !== 'linux') return '';
  try {
    return read();
  } catch {
    // A hardened /proc: then pids alone have to tell.
    return '';
  }
}
