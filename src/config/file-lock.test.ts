import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { withFileLock } from './file-lock.js';

const directory = mkdtempSync(join(tmpdir(), 'tidegate-lock-'));
const lock = join(directory, 'lock');
afterAll(() => rmSync(directory, { recursive: true }));

describe('a file lock', () => {
  it('is held during the action and gone after it, also when the action throws', () => {
    expect(withFileLock(lock, (isHeld) => isHeld() && existsSync(lock))).toBe(true);
    expect(existsSync(lock)).toBe(false);
    expect(() =>
      withFileLock(lock, () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(existsSync(lock)).toBe(false);
  });

  it('that somebody else holds is waited for, but not for ever', () => {
    writeFileSync(lock, 'somebody');
    expect(() => withFileLock(lock, () => 1, { abandonedAfter: 1_000, giveUpAfter: 50 })).toThrow(
      'another process holds',
    );
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  it('that its holder left behind is broken', () => {
    writeFileSync(lock, 'dead');
    expect(withFileLock(lock, (isHeld) => isHeld(), { abandonedAfter: 40, giveUpAfter: 5_000 })).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('knows when it was broken, and leaves the new one alone', () => {
    const held = withFileLock(lock, (isHeld) => {
      writeFileSync(lock, 'breaker');
      return isHeld();
    });
    expect(held).toBe(false);
    expect(readdirSync(directory)).toEqual(['lock']);
    rmSync(lock);
  });
});
