import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownHolder } from '../../lib/process-holder.js';
import { createLocks, type Locks } from './lock.js';

let directory: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'tidegate-locks-')), 'locks');
});

afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

/** The token of a process that ran on this machine and is gone. */
async function deadToken(): Promise<string> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.once('exit', resolve));
  const { system } = ownHolder();
  return `${child.pid ?? 0}.1.${system}.left`;
}

async function fileOf(locks: Locks): Promise<string> {
  return await locks.withLock('key', async () => join(directory, readdirSync(directory)[0] ?? ''));
}

describe.each([false, true])('a lock (hard links: %s)', (useHardLinks) => {
  it('admits one holder at a time, in order of arrival', async () => {
    const locks = [createLocks({ directory, useHardLinks }), createLocks({ directory, useHardLinks })];
    let inside = 0;
    const seen: number[] = [];
    const enter = async (index: number): Promise<void> => {
      const chosen = locks[index % 2];
      if (chosen === undefined) throw new Error('no locks');
      await chosen.withLock('key', async (isHeld) => {
        inside += 1;
        seen.push(index);
        expect(inside).toBe(1);
        expect(isHeld()).toBe(true);
        inside -= 1;
      });
    };
    await Promise.all(Array.from({ length: 30 }, (_, index) => enter(index)));
    const even = seen.filter((index) => index % 2 === 0);
    expect(even).toEqual(even.toSorted((one, other) => one - other));
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is released when the work fails', async () => {
    const locks = createLocks({ directory, useHardLinks });
    await expect(locks.withLock('key', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(locks.withLock('key', async () => 'yes')).resolves.toBe('yes');
  });

  it('of a dead process is broken at once; of many that try, only one gets it', async () => {
    const times = { abandonedAfter: 60_000, giveUpAfter: 20_000 };
    const many = Array.from({ length: 6 }, () => createLocks({ directory, times, useHardLinks }));
    for (let round = 0; round < 10; round += 1) {
      const [first] = many;
      if (first === undefined) throw new Error('no locks');
      const file = await fileOf(first);
      symlinkSync(await deadToken(), file);
      let inside = 0;
      await Promise.all(
        many.map((locks) =>
          locks.withLock('key', async () => {
            inside += 1;
            expect(inside).toBe(1);
            await new Promise((resolve) => setImmediate(resolve));
            inside -= 1;
          }),
        ),
      );
      expect(readdirSync(directory)).toEqual([]);
    }
  });
});

describe('a lock', () => {
  it('of a running process is waited for, and then given up with a message', async () => {
    const locks = createLocks({ directory, times: { abandonedAfter: 1, giveUpAfter: 100 } });
    const file = await fileOf(locks);
    const { pid, startTime, system } = ownHolder();
    symlinkSync(`${pid}.${startTime}.${system}.mine`, file);
    await expect(locks.withLock('key', async () => 'never')).rejects.toMatchObject({
      code: 'timeout',
      facts: { reason: 'locked', retryable: true },
    });
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('of a process on another machine is broken only if it does not change for long', async () => {
    const locks = createLocks({ directory, times: { abandonedAfter: 100, giveUpAfter: 10_000 } });
    const file = await fileOf(locks);
    symlinkSync(`1.1.elsewhere.left`, file);
    const begun = performance.now();
    await locks.withLock('key', async () => {});
    expect(performance.now() - begun).toBeGreaterThan(100);
  });

  it('whose breaker died too is still broken', async () => {
    const locks = createLocks({ directory });
    const file = await fileOf(locks);
    const token = await deadToken();
    symlinkSync(token, file);
    // A breaker that was killed leaves a lock of its own, named after the token that it was to remove.
    const name = createHash('sha256').update(token).digest('hex').slice(0, 16);
    symlinkSync(await deadToken(), `${file}.${name}`);
    await expect(locks.withLock('key', async () => 'mine')).resolves.toBe('mine');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is not blocked by a process that waits forever', async () => {
    const locks = createLocks({ directory, times: { abandonedAfter: 1, giveUpAfter: 50 } });
    let end = (): void => {};
    const first = locks.withLock('key', () => new Promise<void>((resolve) => (end = resolve)));
    await expect(locks.withLock('key', async () => 'late')).rejects.toMatchObject({
      facts: { reason: 'locked' },
    });
    await expect(locks.withLock('other key', async () => 'free')).resolves.toBe('free');
    end();
    await first;
    await expect(locks.withLock('key', async () => 'now')).resolves.toBe('now');
  });

  it('is removed if its process is dead, and otherwise left alone', async () => {
    mkdirSync(directory, { recursive: true });
    const { pid, startTime, system } = ownHolder();
    symlinkSync(await deadToken(), join(directory, 'a.lock'));
    symlinkSync(`${pid}.${startTime}.${system}.mine`, join(directory, 'b.lock'));
    symlinkSync('1.1.elsewhere.left', join(directory, 'c.lock'));
    await createLocks({ directory }).sweep();
    expect(readdirSync(directory).sort()).toEqual(['b.lock', 'c.lock']);
  });
});
