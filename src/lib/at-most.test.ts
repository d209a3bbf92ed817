import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { atMost } from './at-most.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('atMost', () => {
  it('waits for the work, but not longer than it takes', async () => {
    await atMost(1000, Promise.resolve());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait longer than the limit', async () => {
    const waited = atMost(1000, new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(1000);
    await waited;
  });

  it('leaves no timer when the work fails', async () => {
    await expect(atMost(1000, Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });
});
