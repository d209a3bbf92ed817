import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.js';

it('starts the work of others beside that of an owner who has its share, and lets owners take turns', () => {
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
  expect(started).toEqual(['a', 'a', 'b', 'a']);
  expect([leave?.(), leave?.()]).toEqual([true, false]);
  for (let at = 1; at < frees.length; at += 1) frees[at]?.();
  expect(started.filter((owner) => owner === 'a')).toHaveLength(5);
  expect(queue.waitingOf('a')).toBe(0);
});

it('keeps the order of one owner, also behind work that needs more places', () => {
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
  expect(started).toEqual(['large', 'larger', 'small']);
});
