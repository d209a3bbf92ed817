import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSlots, type Slots } from './slots.js';

const slotsOf = (count: number, waitMs: number): Slots =>
  createSlots({ count, waitMs, tooMany: () => new Error('too many') });

it('runs a limited number at once, starts the next when one ends, and frees the slot of a cancelled one', async () => {
  const slots = slotsOf(2, 10_000);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal = new AbortController().signal) =>
    slots.use(
      undefined,
      () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
      signal,
    );
  const [a, b] = [run('a'), run('b')];
  const leaving = new AbortController();
  const c = run('c', leaving.signal);
  const d = run('d');
  await Promise.resolve();
  expect(started).toEqual(['a', 'b']);
  leaving.abort();
  await expect(c).rejects.toThrow();
  ends.get('a')?.();
  await a;
  await new Promise(setImmediate);
  expect(started).toEqual(['a', 'b', 'd']);
  for (const end of ends.values()) end();
  await Promise.all([b, d]);
  await expect(run('e', AbortSignal.abort())).rejects.toThrow();
});

it('frees the slot after a failure', async () => {
  const slots = slotsOf(1, 10_000);
  const { signal } = new AbortController();
  await expect(slots.use(undefined, () => Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  await expect(slots.use(undefined, () => Promise.resolve(1), signal)).resolves.toBe(1);
});

it('gives one owner half of the slots, starts others next to it, and lets owners take turns', async () => {
  const slots = slotsOf(8, 10_000);
  const { signal } = new AbortController();
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (owner: string) =>
    slots.use(
      owner,
      () => {
        started.push(owner);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
      signal,
    );
  const all = Array.from({ length: 6 }, () => run('a'));
  all.push(run('b'));
  await sleep(0);
  expect(started).toEqual(['a', 'a', 'a', 'a', 'b']);
  for (let index = 0; index < all.length; index += 1) {
    ends[index]?.();
    await sleep(0);
  }
  await Promise.all(all);
  expect(started.filter((owner) => owner === 'a')).toHaveLength(6);
});

it('fails work that waits too long, to be retried, and refuses to queue too much work of one owner', async () => {
  const slots = slotsOf(2, 20);
  const { signal } = new AbortController();
  const end = new AbortController();
  const held = slots.use(
    'a',
    () => new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve())),
    signal,
  );
  await expect(slots.use('a', () => Promise.resolve(1), signal)).rejects.toThrow('too many');
  const waiting = Array.from({ length: 300 }, () =>
    slots.use('a', () => Promise.resolve(1), signal).catch(() => 2),
  );
  end.abort();
  await held;
  const answers = await Promise.all(waiting);
  expect(answers.filter((answer) => answer === 1)).toHaveLength(256);
  await expect(slots.use('a', () => Promise.resolve(1), signal)).resolves.toBe(1);
});
