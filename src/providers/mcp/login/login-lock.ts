import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 25;
/** Renewing a token takes no longer than its requests may, one after the other. Who holds the lock for longer is gone. */
const abandonedMs = 90_000;
const giveUpMs = 100_000;

/** Runs the work while no other process does any under the same lock. */
export async function withLoginLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const token = `${String(process.pid)} ${randomUUID()}`;
  await acquire(lock, token);
  try {
    return await work();
  } finally {
    if (holderOf(lock) === token) rmSync(lock, { force: true });
  }
}

// How long it was held is measured by watching, not by comparing clocks.
async function acquire(lock: string, token: string): Promise<void> {
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
    if (now - begun > giveUpMs) throw new Error('another process keeps the login busy');
    if (seen !== undefined && (isGone(seen) || now - seenSince > abandonedMs)) breakLock(lock, seen);
    else await sleep(lookEveryMs);
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

/** Whether the process that holds it is not there any more. */
function isGone(holder: string): boolean {
  const pid = Number(holder.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
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
  rmSync(aside, { force: true });
}

function holderOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
