import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../lib/sha256.js';
import { ToolFailure } from '../../core/index.js';
import {
  type IsHeld,
  LockBusyError,
  type LockOptions,
  type LockTimes,
  sweepFileLock,
  withAsyncFileLock,
} from '../../lib/file-lock.js';

/** Runs one action at a time per key, across all processes that share the directory. */
export interface Locks {
  withLock<T>(key: string, action: Action<T>): Promise<T>;
  /** Removes locks of dead processes. Taking the same lock again removes it too. */
  sweep(): Promise<void>;
}

type Action<T> = (isHeld: IsHeld) => Promise<T>;

export interface LockParts {
  readonly directory: string;
  readonly times?: LockTimes;
  readonly useHardLinks?: boolean;
}

const usualTimes: LockTimes = { abandonedAfter: 10_000, giveUpAfter: 30_000 };

export function createLocks({ directory, times = usualTimes, useHardLinks }: LockParts): Locks {
  const options = { ...times, ...(useHardLinks !== undefined && { useHardLinks }) };
  const queues = new Map<string, Promise<void>>();

  return {
    withLock<T>(key: string, action: Action<T>): Promise<T> {
      const file = join(directory, `${hashOf(key)}.lock`);
      const before = queues.get(file) ?? Promise.resolve();
      const giveUpAt = performance.now() + times.giveUpAfter;
      const mine = settledWithin(before, times.giveUpAfter).then(async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        return locked(file, action, { ...options, giveUpAfter: giveUpAt - performance.now() });
      });
      // Calls of this process wait in line; only the first of the line contends with other processes.
      const last = Promise.allSettled([before, mine]).then(() => {
        if (queues.get(file) === last) queues.delete(file);
      });
      queues.set(file, last);
      return mine;
    },
    async sweep() {
      const names = await readdir(directory).catch(() => []);
      // If another process breaks the same lock, the lock is gone anyway.
      for (const name of names.slice(0, 1_000))
        await sweepFileLock(join(directory, name), options).catch(nothing);
    },
  };
}

async function locked<T>(file: string, action: Action<T>, options: Partial<LockOptions>): Promise<T> {
  try {
    return await withAsyncFileLock(file, action, options);
  } catch (error) {
    throw error instanceof LockBusyError ? busy() : error;
  }
}

async function settledWithin(before: Promise<void>, milliseconds: number): Promise<void> {
  const waiting = new AbortController();
  const isLate = pause(milliseconds, true, { signal: waiting.signal }).catch(() => false);
  try {
    if (await Promise.race([before.then(() => false), isLate])) throw busy();
  } finally {
    waiting.abort();
  }
}

function hashOf(text: string): string {
  return sha256Of(text).slice(0, 40);
}

function busy(): ToolFailure {
  return new ToolFailure('timeout', 'Other calls kept changing this file, so nothing was written.', {
    reason: 'locked',
    suggestion: 'Call again in a moment.',
    retryable: true,
  });
}

function nothing(): void {}
