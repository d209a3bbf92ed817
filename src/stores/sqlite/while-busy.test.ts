import { describe, expect, it } from 'vitest';
import { whileBusy } from './while-busy.js';

function busy(code: string): Error {
  return Object.assign(new Error('database is locked'), { code });
}

describe('whileBusy', () => {
  it('retries until the work succeeds', () => {
    let attempts = 0;
    const value = whileBusy(() => {
      attempts += 1;
      if (attempts < 4) throw busy(attempts === 1 ? 'SQLITE_BUSY_RECOVERY' : 'SQLITE_BUSY');
      return 'done';
    });
    expect([value, attempts]).toEqual(['done', 4]);
  });

  it('does not retry after other errors, and gives up in the end', () => {
    let attempts = 0;
    const always = (code: string) => () => {
      attempts += 1;
      throw busy(code);
    };
    expect(() => whileBusy(always('SQLITE_FULL'))).toThrow('locked');
    expect(attempts).toBe(1);
    expect(() => whileBusy(always('SQLITE_BUSY'), 30)).toThrow('locked');
    expect(attempts).toBeGreaterThan(2);
  });
});
