import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';

export interface LockTimes {
  /** A lock that stays the same for so long was left by a process that died: the work under it takes milliseconds. */
  readonly abandonedAfter: number;
  readonly giveUpAfter: number;
}

const usualTimes: LockTimes = { abandonedAfter: 5_000, giveUpAfter: 15_000 };
const LOOK_EVERY = 20;

/** Runs the action while no other process runs one under the same lock file. Throws when the lock cannot be had. */
export function withFileLock<T>(lock: string, action: (isHeld: () => boolean) => T, times = usualTimes): T {
  const token = randomUUID();
  acquire(lock, token, times);
  try {
    return action(() => holderOf(lock) === token);
  } finally {
    if (holderOf(lock) === token) unlinkSync(lock);
  }
}

// Ages are measured by watching, not by comparing clocks: file systems may have their own.
function acquire(lock: string, token: string, { abandonedAfter, giveUpAfter }: LockTimes): void {
  const begun = performance.now();
  let seen: string | undefined;
  let seenSince = begun;
  while (!tryCreate(lock, token)) {
    const now = performance.now();
    const holder = holderOf(lock);
    if (holder !== seen) {
      seen = holder;
      seenSince = now;
    }
    if (now - begun > giveUpAfter) throw new Error(`another process holds ${lock}`);
    if (seen !== undefined && now - seenSince > abandonedAfter) breakLock(lock, seen);
    else pause(LOOK_EVERY);
  }
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

// Two processes may break the same lock. Who finds that it took a newer one puts it back.
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
