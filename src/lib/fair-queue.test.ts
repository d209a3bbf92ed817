import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.js';

it('starts work of other owners while one owner uses its share, and lets owners take turns', async () => {
  const queue = createFairQueue(4, 0);
  const started: string[] = [];
  const frees: (() => void)[] = [];
  const enter = (owner: string, places = 1): (() => boolean) | undefined =>
    queue.enter(
      owner,
      (giveBack) => {
        started.push(owner);
        frees.push(giveBack);
      },
      places,
    );
  for (let count = 0; count < 5; count += 1) enter('a');
  enter('b');
  expect(started).toEqual(['a', 'a', 'b']);
  expect(queue.waitingOf('a')).toBe(3);
  const leave = enter('b');
  frees[0]?.();
  await Promise.resolve();
  expect(started).toEqual(['a', 'a', 'b', 'a']);
  expect([leave?.(), leave?.()]).toEqual([true, false]);
  for (let at = 1; at < frees.length; at += 1) {
    frees[at]?.();
    await Promise.resolve();
  }
  expect(started.filter((owner) => owner === 'a')).toHaveLength(5);
  expect(queue.waitingOf('a')).toBe(0);
});

it('keeps the order of one owner, even behind work that needs more slots', async () => {
  const queue = createFairQueue(6, 0);
  const started: string[] = [];
  const frees: (() => void)[] = [];
  const enter = (name: string, places: number): unknown =>
    queue.enter(
      'a',
      (giveBack) => {
        started.push(name);
        frees.push(giveBack);
      },
      places,
    );
  enter('large', 3);
  enter('larger', 2);
  enter('small', 1);
  expect(started).toEqual(['large']);
  frees[0]?.();
  await Promise.resolve();
  expect(started).toEqual(['large', 'larger', 'small']);
});

it('starts nothing that is cancelled in the same step in which slots are freed', async () => {
  const queue = createFairQueue(2, 0);
  const started: number[] = [];
  const frees: (() => void)[] = [];
  const leaves: ((() => boolean) | undefined)[] = [];
  for (let at = 0; at < 50_000; at += 1)
    leaves.push(
      queue.enter('a', (giveBack) => {
        started.push(at);
        frees.push(giveBack);
      }),
    );
  const before = started.length;
  for (const free of [...frees]) free();
  for (const leave of leaves) leave?.();
  await Promise.resolve();
  expect(started).toHaveLength(before);
  expect(queue.waitingOf('a')).toBe(0);
});

it('starts many that end immediately, without recursion', async () => {
  const queue = createFairQueue(2, 0);
  let ended = 0;
  let free = (): void => undefined;
  queue.enter('a', (giveBack) => {
    free = giveBack;
  });
  for (let at = 0; at < 50_000; at += 1)
    queue.enter('a', (giveBack) => {
      ended += 1;
      giveBack();
    });
  free();
  for (let turn = 0; turn < 60_000 && ended < 50_000; turn += 1) await Promise.resolve();
  expect(ended).toBe(50_000);
});

it('starts smaller work when larger work before it is cancelled', async () => {
  const queue = createFairQueue(4, 0);
  const started: string[] = [];
  const enter = (name: string, places: number) => queue.enter('a', () => void started.push(name), places);
  enter('first', 1);
  const leave = enter('large', 4);
  enter('small', 1);
  expect(started).toEqual(['first']);
  leave?.();
  await Promise.resolve();
  expect(started).toEqual(['first', 'small']);
});
