import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isRunning } from '../../lib/is-running.js';
import { endMarked } from './ladder.js';
import { isGateId, needleOfGate } from './mark.js';
import { readOwnStartTime, readStat, readSystemId } from './proc-table.js';

/** The result of a sweep: deleted lease files, and ended processes. */
export interface Swept {
  readonly leases: number;
  readonly processes: number;
}

interface Lease {
  readonly pid: number;
  readonly gateId: string;
  readonly startTime: string;
  readonly system: string;
}

const filePattern = /^[1-9][0-9]*-[0-9a-f]{32}$/;
const maxLeases = 1000;
/** A lease of another machine or container cannot be checked here; it expires after this time. */
const foreignMs = 30 * 24 * 3600 * 1000;
const unreadableMs = 60_000;

export function leaseFile(stateDir: string, gateId: string): string {
  return join(resolve(stateDir), 'leases', `${process.pid}-${gateId}`);
}

/** Written before the first child starts, so that a gateway and reaper killed together leave a trace. */
export function writeLease(file: string, gateId: string): void {
  const lease: Lease = { pid: process.pid, gateId, startTime: readOwnStartTime(), system: readSystemId() };
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(lease)}\n`, { flag: 'wx', mode: 0o600 });
}

export function removeLease(file: string): void {
  rmSync(file, { force: true });
}

/**
 * End what dead gateways left running and delete their leases; skips running gateways. Rejects when aborted.
 */
export async function sweepLeases(stateDir: string, signal?: AbortSignal): Promise<Swept> {
  const directory = join(resolve(stateDir), 'leases');
  const names = (await readdir(directory).catch(() => [])).filter((name) => filePattern.test(name));
  if (names.length === 0) return { leases: 0, processes: 0 };

  const system = readSystemId();
  const stop = signal ?? new AbortController().signal;
  let leases = 0;
  let processes = 0;
  for (const name of names.slice(0, maxLeases)) {
    const file = join(directory, name);
    const lease = await readLease(file);
    if (!(await isDead(file, lease, system))) continue;
    if (lease?.system === system) processes += await endMarked(needleOfGate(lease.gateId), stop);
    stop.throwIfAborted();
    await rm(file, { force: true });
    leases += 1;
  }
  return { leases, processes };
}

async function isDead(file: string, lease: Lease | undefined, system: string): Promise<boolean> {
  if (lease === undefined) return (await ageOf(file)) > unreadableMs;
  if (lease.system !== system) return (await ageOf(file)) > foreignMs;
  if (lease.startTime === '') return !isRunning(lease.pid);
  const now = await readStat(lease.pid);
  return now === undefined || now.isZombie || now.startTime !== lease.startTime;
}

async function readLease(file: string): Promise<Lease | undefined> {
  try {
    const lease: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isLease(lease) ? lease : undefined;
  } catch {
    // Another gateway is writing it or died while writing: its age decides.
    return undefined;
  }
}

function isLease(value: unknown): value is Lease {
  if (typeof value !== 'object' || value === null) return false;
  if (!('pid' in value && 'gateId' in value && 'startTime' in value && 'system' in value)) return false;
  const { pid, gateId, startTime, system } = value;
  const isPid = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0;
  return isPid && isGateId(gateId) && typeof startTime === 'string' && typeof system === 'string';
}

/** Zero if the file is gone: another sweep was faster. */
async function ageOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}
