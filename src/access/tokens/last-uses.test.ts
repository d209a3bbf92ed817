import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLastUses } from './last-uses.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function open() {
  const told: (readonly { readonly id: string; readonly at: number }[])[] = [];
  const failures: unknown[] = [];
  let failing: Error | undefined;
  let stepped = 0;
  const uses = openLastUses({
    store: {
      async touchTokens(some) {
        if (failing) throw failing;
        told.push(some);
      },
    },
    now: () => Date.now() + stepped,
    elapsed: () => Date.now(),
    onFailure: (error) => failures.push(error),
  });
  return {
    uses,
    told,
    failures,
    stepClock(ms: number) {
      stepped += ms;
    },
    fail(error: Error | undefined) {
      failing = error;
    },
  };
}

describe('the last uses of tokens', () => {
  it('are saved soon after the first, and then at most once a minute', async () => {
    const { uses, told } = open();
    for (let second = 0; second < 200; second += 1) {
      uses.note('a');
      await vi.advanceTimersByTimeAsync(1000);
    }
    await uses.close();
    const times = told.flat().map(({ at }) => at);
    expect(times[0]).toBe(0);
    expect(times.at(-1)).toBe(199_000);
    expect(times.length).toBeLessThanOrEqual(5);
    expect(times.length).toBeGreaterThanOrEqual(4);
  });

  it('of many tokens are saved together', async () => {
    const { uses, told } = open();
    for (const id of ['a', 'b', 'c']) uses.note(id);
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.map((some) => some.map(({ id }) => id))).toEqual([['a', 'b', 'c']]);
    await uses.close();
    expect(told).toHaveLength(1);
  });

  it('of another token are saved without waiting for the minute of the first', async () => {
    const { uses, told } = open();
    uses.note('a');
    await vi.advanceTimersByTimeAsync(1000);
    uses.note('a');
    uses.note('b');
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.flat().map(({ id }) => id)).toEqual(['a', 'b']);
    await uses.close();
    expect(told.flat().map(({ id }) => id)).toEqual(['a', 'b', 'a']);
  });

  it('that could not be saved do no harm', async () => {
    const { uses, told, failures, fail } = open();
    fail(new Error('away'));
    uses.note('a');
    await vi.advanceTimersByTimeAsync(1000);
    expect(failures).toHaveLength(1);
    fail(undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    uses.note('a');
    await uses.close();
    expect(told).toHaveLength(1);
  });

  it('[15.50] are saved after the clock was set back, and on close', async () => {
    const { uses, told, stepClock } = open();
    uses.note('a');
    await vi.advanceTimersByTimeAsync(1000);
    stepClock(-3_600_000);
    uses.note('a');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toHaveLength(2);
    uses.note('a');
    uses.note('b');
    await uses.close();
    expect(
      told
        .slice(2)
        .flat()
        .map(({ id }) => id),
    ).toEqual(['a', 'b']);
  });

  it('are bounded', async () => {
    const { uses, told } = open();
    for (let n = 0; n < 10_500; n += 1) uses.note(`t${String(n)}`);
    await uses.close();
    expect(told.flat()).toHaveLength(10_000);
    expect(told.flat().at(-1)).toEqual({ id: 't10499', at: 0 });
  });
});
