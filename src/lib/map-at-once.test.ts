import { expect, it } from 'vitest';
import { mapAtOnce } from './map-at-once.js';

it('runs a limited number at once and keeps the order', async () => {
  let running = 0;
  let most = 0;
  const results = await mapAtOnce([3, 1, 2, 0, 4], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 10;
  });
  expect([results, most]).toEqual([[30, 10, 20, 0, 40], 2]);
});

it('fails with the first failure', async () => {
  const work = (item: number) => (item === 2 ? Promise.reject(new Error('no')) : Promise.resolve(item));
  await expect(mapAtOnce([1, 2, 3], 1, work)).rejects.toThrow('no');
});

it('returns nothing for an empty list', async () => {
  expect(await mapAtOnce([], 3, () => Promise.resolve(1))).toEqual([]);
});
