import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Of } from './sha256.js';
import { codeOf } from './error-code.js';
import { type Holder, type HolderState, ownHolder, stateOf } from './process-holder.js';

export interface LockTimes {
  /** How long a lock may stay unchanged if the system cannot tell whether its process is still running. */
  readonly abandonedAfter: number;
  readonly giveUpAfter: number;
}

export interface LockOptions extends LockTimes {
  /** For systems where not every user may create symbolic links. */
  readonly useHardLinks: boolean;
}

/** Whether the lock is still ours: a last check before a step that cannot be undone. */
export type IsHeld = () => boolean;

/** Thrown if a running process kept the lock for too long. */
export class LockBusyError extends Error {
  constructor(file: string) {
    super(`another process holds the lock ${file}`);
  }
}

const usual: LockOptions = {
  abandonedAfter: 5_000,
  giveUpAfter: 15_000,
  useHardLinks: process.platform === 'win32',
};
/** Allows for several requests that each run until they time out. */
const long: LockTimes = { abandonedAfter: 90_000, giveUpAfter: 100_000 };
const longestPause = 20;
const deepestBreak = 3;

/**
 * Runs the action while holding the lock, one at a time across all processes. A lock is a symbolic link whose target
 * names its holder: it is created, read and removed by one system call each. Throws if it cannot be acquired.
 */
export function withFileLock<T>(
  file: string,
  action: (isHeld: IsHeld) => T,
  options: Partial<LockOptions> = {},
): T {
  const wanted = want(file, { ...usual, ...options });
  for (const pause of acquire(wanted)) block(pause);
  try {
    return action(() => holderOf(file) === wanted.token);
  } finally {
    release(wanted);
  }
}

/** Like `withFileLock`, for asynchronous work. */
export async function withAsyncFileLock<T>(
  file: string,
  action: (isHeld: IsHeld) => Promise<T>,
  options: Partial<LockOptions> = {},
): Promise<T> {
  const wanted = want(file, { ...usual, ...long, ...options });
  for (const pause of acquire(wanted)) await sleep(pause);
  try {
    return await action(() => holderOf(file) === wanted.token);
  } finally {
    release(wanted);
  }
}

/** Removes a lock that a dead process left. */
export async function sweepFileLock(file: string, options: Partial<LockOptions> = {}): Promise<void> {
  const wanted = want(file, { ...usual, ...options });
  const holder = holderOf(file);
  if (holder === undefined || stateOfToken(holder, wanted.own) !== 'gone') return;
  for (const pause of breakLock(holder, wanted)) await sleep(pause);
}

interface Wanted {
  readonly file: string;
  readonly token: string;
  readonly own: Holder;
  readonly options: LockOptions;
  readonly giveUpAt: number;
  readonly depth: number;
}

function want(file: string, options: LockOptions): Wanted {
  const own = ownHolder();
  const giveUpAt = performance.now() + options.giveUpAfter;
  return { file, token: newToken(own), own, options, giveUpAt, depth: deepestBreak };
}

/**
 * Yields how long to wait before the next attempt. Measures the age of a lock by observing it, because the clocks of file
 * systems may differ from ours.
 */
function* acquire(wanted: Wanted): Generator<number, void> {
  const { file, token, own, options, giveUpAt } = wanted;
  const create = options.useHardLinks ? createByHardLink : createBySymlink;
  let seen: string | undefined;
  let seenSince = 0;
  while (!create(file, token)) {
    const now = performance.now();
    if (now > giveUpAt) throw new LockBusyError(file);
    const holder = holderOf(file);
    if (holder === undefined) continue;
    if (holder !== seen) {
      seen = holder;
      seenSince = now;
    }
    const state = stateOfToken(holder, own);
    const isAbandoned = state === 'unknown' && now - seenSince > options.abandonedAfter;
    if (state === 'gone' || isAbandoned) yield* breakLock(holder, wanted);
    else yield 1 + Math.random() * longestPause;
  }
}

/**
 * Removes an abandoned lock while holding a second one that is named after its token. Tokens are never used twice, so
 * while the first lock still shows this token, no other process can remove it or replace it.
 */
function* breakLock(abandoned: string, wanted: Wanted): Generator<number, void> {
  if (wanted.depth === 0) throw new LockBusyError(wanted.file);
  const breaker: Wanted = {
    ...wanted,
    file: `${wanted.file}.${hashOf(abandoned)}`,
    token: newToken(wanted.own),
    depth: wanted.depth - 1,
  };
  yield* acquire(breaker);
  try {
    if (holderOf(wanted.file) === abandoned) unlinkSync(wanted.file);
  } finally {
    release(breaker);
  }
}

function release({ file, token }: Wanted): void {
  if (holderOf(file) === token) unlinkSync(file);
}

function createBySymlink(file: string, token: string): boolean {
  return unlessExists(() => symlinkSync(token, file));
}

/** The file gets its name only when it has its content. */
function createByHardLink(file: string, token: string): boolean {
  const aside = `${file}.${randomUUID()}`;
  writeFileSync(aside, token, { flag: 'wx', mode: 0o600 });
  try {
    return unlessExists(() => linkSync(aside, file));
  } finally {
    unlinkSync(aside);
  }
}

function unlessExists(create: () => void): boolean {
  try {
    create();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(file: string): string | undefined {
  return readOrNothing(() => {
    try {
      return readlinkSync(file);
    } catch (error) {
      // Not a symbolic link: created as a hard link.
      if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'UNKNOWN') throw error;
      return readFileSync(file, 'latin1');
    }
  });
}

function readOrNothing(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function newToken({ pid, startTime, system }: Holder): string {
  return `${String(pid)}.${startTime}.${system}.${randomUUID()}`;
}

function stateOfToken(token: string, own: Holder): HolderState {
  const [pid = '', startTime = '', system = ''] = token.split('.');
  return /^\d+$/.test(pid) ? stateOf({ pid: Number(pid), startTime, system }, own) : 'unknown';
}

function hashOf(token: string): string {
  return sha256Of(token).slice(0, 16);
}

function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
