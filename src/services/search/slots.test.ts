import { expect, it } from 'vitest';
import { createSlots } from './slots.js';

it('only so many run at a time, the next starts when one ends, and who gives up does not hold a slot', async () => {
  const slots = createSlots(2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal = new AbortController().signal) =>
    slots.use(() => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    }, signal);
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

it('a failure frees its slot', async () => {
  const slots = createSlots(1);
  const { signal } = new AbortController();
  await expect(slots.use(() => Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  await expect(slots.use(() => Promise.resolve(1), signal)).resolves.toBe(1);
});
