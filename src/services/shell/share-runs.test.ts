import { expect, it } from 'vitest';
import { shareRuns } from './share-runs.js';

it('[15.34] starts one more run for all calls during a run, even after one that failed', async () => {
  const ends: ((error?: Error) => void)[] = [];
  const shared = shareRuns(() => {
    const number = ends.length + 1;
    return new Promise<number>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve(number) : reject(error)));
    });
  });
  const first = [shared(), shared()].map((one) => one.catch(() => 'failed'));
  await Promise.resolve();
  const second = [shared(), shared()];
  expect(ends).toHaveLength(1);
  ends[0]?.(new Error('no'));
  expect(await Promise.all(first)).toEqual(['failed', 'failed']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toHaveLength(2);
  ends[1]?.();
  expect(await Promise.all(second)).toEqual([2, 2]);
});
