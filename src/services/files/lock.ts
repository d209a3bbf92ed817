import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, readlink, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ToolFailure } from '../../core/index.js';
import { codeOf } from './failures.js';
import { type Holder, ownHolder, stateOf } from './holder.js';

/** Runs one action at a time per key, over all processes that share the directory. */
export interface Locks {
  /** `isHeld` says whether the lock is still ours, for a last look before what cannot be undone. */
  withLock<T>(key: string, action: Action<T>): Promise<T>;
  /** Removes what dead processes left. Lazily it happens anyway, when somebody wants the same lock. */
  sweep(): Promise<void>;
}

type Action<T> = (isHeld: () => Promise<boolean>) => Promise<T>;

export interface LockTimes {
  /** How long a lock of a process that cannot be asked may stay the same before it counts as left behind. */
  readonly abandonedAfter: number;
  readonly giveUpAfter: number;
}

export interface LockParts {
  readonly directory: string;
  readonly times?: LockTimes;
  /** Left out where the system has symbolic links for everybody. */
  readonly useHardLinks?: boolean;
}

const usualTimes: LockTimes = { abandonedAfter: 10_000, giveUpAfter: 30_000 };
const longestLook = 20;
const deepestBreak = 3;

/** A lock is a symbolic link to nowhere whose target names the holder: made, read and removed by one call each. */
export function createLocks({ directory, times = usualTimes, useHardLinks }: LockParts): Locks {
  const own = ownHolder();
  const create = (useHardLinks ?? process.platform === 'win32') ? createByHardLink : createBySymlink;
  const bench = { own, times, create };
  const queues = new Map<string, Promise<void>>();

  const locked = async <T>(file: string, giveUpAt: number, action: Action<T>): Promise<T> => {
    const token = newToken(own);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await acquire({ file, token, giveUpAt, depth: deepestBreak }, bench);
    try {
      return await action(async () => (await holderOf(file)) === token);
    } finally {
      await release(file, token);
    }
  };

  return {
    withLock<T>(key: string, action: Action<T>): Promise<T> {
      const file = join(directory, `${hashOf(key)}.lock`);
      const before = queues.get(file) ?? Promise.resolve();
      const giveUpAt = performance.now() + times.giveUpAfter;
      const mine = settledWithin(before, times.giveUpAfter).then(() => locked(file, giveUpAt, action));
      // In this process they stand in line; only the first of the line contends with other processes.
      const last = Promise.allSettled([before, mine]).then(() => {
        if (queues.get(file) === last) queues.delete(file);
      });
      queues.set(file, last);
      return mine;
    },
    async sweep() {
      const names = await readdir(directory).catch(() => []);
      for (const name of names.slice(0, 1_000)) await sweepOne(join(directory, name), bench);
    },
  };
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

interface Bench {
  readonly own: Holder;
  readonly times: LockTimes;
  readonly create: (file: string, token: string) => Promise<boolean>;
}

interface Wanted {
  readonly file: string;
  readonly token: string;
  readonly giveUpAt: number;
  readonly depth: number;
}

// Ages are measured by watching, not by comparing clocks: file systems may have their own.
async function acquire(wanted: Wanted, bench: Bench): Promise<void> {
  const { file, token, giveUpAt } = wanted;
  let seen: string | undefined;
  let seenSince = 0;
  while (!(await bench.create(file, token))) {
    const now = performance.now();
    if (now > giveUpAt) throw busy();
    const holder = await holderOf(file);
    if (holder === undefined) continue;
    if (holder !== seen) {
      seen = holder;
      seenSince = now;
    }
    const state = await stateOfToken(holder, bench.own);
    const isAbandoned = state === 'unknown' && now - seenSince > bench.times.abandonedAfter;
    if (state === 'gone' || isAbandoned) await breakLock(holder, wanted, bench);
    else await pause(1 + Math.random() * longestLook);
  }
}

/**
 * Who wants to break a lock takes a second lock first, named after the very token that is to be removed. Tokens are
 * never used twice: while the second lock is held and the first still shows that token, nobody else can remove it.
 */
async function breakLock(abandoned: string, { file, giveUpAt, depth }: Wanted, bench: Bench): Promise<void> {
  if (depth === 0) throw busy();
  const breaker = `${file}.${hashOf(abandoned).slice(0, 16)}`;
  const token = newToken(bench.own);
  await acquire({ file: breaker, token, giveUpAt, depth: depth - 1 }, bench);
  try {
    if ((await holderOf(file)) === abandoned) await unlink(file);
  } finally {
    await release(breaker, token);
  }
}

async function sweepOne(file: string, bench: Bench): Promise<void> {
  const holder = await holderOf(file).catch(() => undefined);
  if (holder === undefined || (await stateOfToken(holder, bench.own)) !== 'gone') return;
  const giveUpAt = performance.now() + bench.times.giveUpAfter;
  // Somebody else breaks it just now: then it is in good hands.
  await breakLock(holder, { file, token: '', giveUpAt, depth: 1 }, bench).catch(nothing);
}

async function release(file: string, token: string): Promise<void> {
  if ((await holderOf(file)) === token) await unlink(file);
}

async function createBySymlink(file: string, token: string): Promise<boolean> {
  return unlessExists(() => symlink(token, file));
}

/** For systems where not everybody may make symbolic links: a file that has its content before it has its name. */
async function createByHardLink(file: string, token: string): Promise<boolean> {
  const aside = `${file}.${randomUUID()}.new`;
  await writeFile(aside, token, { flag: 'wx', mode: 0o600 });
  try {
    return await unlessExists(() => link(aside, file));
  } finally {
    await unlink(aside);
  }
}

async function unlessExists(make: () => Promise<void>): Promise<boolean> {
  try {
    await make();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function holderOf(file: string): Promise<string | undefined> {
  try {
    return await readlink(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    // Not a symbolic link: one that was made the other way.
    if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'UNKNOWN') throw error;
  }
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function newToken({ pid, startTime, system }: Holder): string {
  return `${pid}.${startTime}.${system}.${randomUUID()}`;
}

/** What is no token was made by nobody we know. */
async function stateOfToken(token: string, own: Holder): Promise<'alive' | 'gone' | 'unknown'> {
  const [pid = '', startTime = '', system = ''] = token.split('.');
  return /^\d+$/.test(pid) ? stateOf({ pid: Number(pid), startTime, system }, own) : 'unknown';
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

function busy(): ToolFailure {
  return new ToolFailure('timeout', 'Other calls kept changing this file, so nothing was written.', {
    reason: 'locked',
    suggestion: 'Call again in a moment.',
    retryable: true,
  });
}

function nothing(): void {}
