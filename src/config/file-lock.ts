import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LockTimes {
  /** A lock that is unchanged for this long was left by a dead process, because the work under it takes milliseconds. */
  readonly abandonedAfter: number;
  readonly giveUpAfter: number;
}

const usualTimes: LockTimes = { abandonedAfter: 5_000, giveUpAfter: 15_000 };
/** Allows for several requests that each run until they time out. */
const longTimes: LockTimes = { abandonedAfter: 90_000, giveUpAfter: 100_000 };
const LOOK_EVERY = 20;

/** Runs the action while holding the lock file. Throws if the lock cannot be acquired. */
export function withFileLock<T>(lock: string, action: (isHeld: () => boolean) => T, times = usualTimes): T {
  const token = randomUUID();
  acquire(lock, token, times);
  try {
    return action(() => holderOf(lock) === token);
  } finally {
    if (holderOf(lock) === token) unlinkSync(lock);
  }
}

/**
 * Like `withFileLock`, for slow work such as a request. The lock file contains the pid of the holder, so that a dead
 * process does not block others.
 */
export async function withLongFileLock<T>(
  lock: string,
  work: () => Promise<T>,
  isRunning: (pid: number) => boolean,
): Promise<T> {
  const token = `${String(process.pid)} ${randomUUID()}`;
  const isGone = (holder: string): boolean => {
    const pid = Number(holder.split(' ')[0]);
    return Number.isSafeInteger(pid) && pid > 0 && !isRunning(pid);
  };
  const isTaken = createTaking(lock, token, longTimes, isGone);
  while (!isTaken()) await sleep(LOOK_EVERY);
  try {
    return await work();
  } finally {
    if (holderOf(lock) === token) rmSync(lock, { force: true });
  }
}

function acquire(lock: string, token: string, times: LockTimes): void {
  const isTaken = createTaking(lock, token, times, () => false);
  while (!isTaken()) pause(LOOK_EVERY);
}

/** Each call tries once. Measures the age of a lock by observing it, because file system clocks may differ from ours. */
function createTaking(
  lock: string,
  token: string,
  { abandonedAfter, giveUpAfter }: LockTimes,
  isGone: (holder: string) => boolean,
): () => boolean {
  const begun = performance.now();
  let seen: string | undefined;
  let seenSince = begun;
  return () => {
    if (tryCreate(lock, token)) return true;
    const now = performance.now();
    const holder = holderOf(lock);
    if (holder !== seen) {
      seen = holder;
      seenSince = now;
    }
    if (now - begun > giveUpAfter) throw new Error(`another process holds the lock ${lock}`);
    if (seen === undefined || (!isGone(seen) && now - seenSince <= abandonedAfter)) return false;
    breakLock(lock, seen);
    return tryCreate(lock, token);
  };
}

function tryCreate(lock: string, token: string): boolean {
  try {
    writeFileSync(lock, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

// Two processes may break the same lock. If this one removed a newer lock, it puts it back.
function breakLock(lock: string, abandoned: string): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const taken = holderOf(aside);
  if (taken !== undefined && taken !== abandoned) tryCreate(lock, taken);
  unlinkSync(aside);
}

function holderOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
