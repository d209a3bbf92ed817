import { randomUUID } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { withAsyncFileLock, withFileLock } from './file-lock.js';
import { type Holder, ownHolder } from './process-holder.js';

const directory = mkdtempSync(join(tmpdir(), 'tidegate-lock-'));
const lock = join(directory, 'lock');
afterAll(() => rmSync(directory, { recursive: true }));

/** The lock is a link to a file that does not exist. */
function isThere(): boolean {
  return lstatSync(lock, { throwIfNoEntry: false }) !== undefined;
}

function tokenOf({ pid, startTime, system }: Holder): string {
  return `${String(pid)}.${startTime}.${system}.${randomUUID()}`;
}

describe('a file lock', () => {
  it('is held during the action and released after it, even if the action throws', () => {
    expect(withFileLock(lock, (isHeld) => isHeld() && isThere())).toBe(true);
    expect(isThere()).toBe(false);
    expect(() =>
      withFileLock(lock, () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(isThere()).toBe(false);
  });

  it('held by another process is waited for, but not forever', () => {
    writeFileSync(lock, 'somebody');
    expect(() => withFileLock(lock, () => 1, { abandonedAfter: 1_000, giveUpAfter: 50 })).toThrow(
      'another process holds',
    );
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  it('left behind by its holder is broken', () => {
    writeFileSync(lock, 'dead');
    expect(withFileLock(lock, (isHeld) => isHeld(), { abandonedAfter: 40, giveUpAfter: 5_000 })).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('notices that it was broken, and leaves the new one alone', () => {
    const held = withFileLock(lock, (isHeld) => {
      rmSync(lock);
      writeFileSync(lock, 'breaker');
      return isHeld();
    });
    expect(held).toBe(false);
    expect(readdirSync(directory)).toEqual(['lock']);
    rmSync(lock);
  });
});

describe('a lock for long work', () => {
  it('admits one holder at a time', async () => {
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      order.push(`${name} in`);
      await new Promise((done) => setTimeout(done, 30));
      order.push(`${name} out`);
    };
    await Promise.all(['a', 'b'].map((name) => withAsyncFileLock(lock, () => work(name))));
    expect([order.slice(0, 2), order.slice(2)].map((pair) => pair.join())).toEqual(
      expect.arrayContaining(['a in,a out', 'b in,b out']),
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is released when the work throws', async () => {
    await expect(withAsyncFileLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(isThere()).toBe(false);
  });

  it('is taken at once from a dead process, and waited for while its holder is alive', async () => {
    writeFileSync(lock, tokenOf({ ...ownHolder(), pid: 4_194_305 }));
    expect(await withAsyncFileLock(lock, () => Promise.resolve('done'))).toBe('done');
    writeFileSync(lock, tokenOf(ownHolder()));
    setTimeout(() => rmSync(lock), 100);
    const began = performance.now();
    await withAsyncFileLock(lock, () => Promise.resolve());
    expect(performance.now() - began).toBeGreaterThan(90);
    expect(readdirSync(directory)).toEqual([]);
  });
});
