import { expect, it } from 'vitest';
import * as engine from '../../src/access/engine/index.js';
import { createTrial, tryWorld } from '../support/access-trial.js';
import { createWorld } from '../support/access-world.js';
import { count } from '../support/counts.js';
import { createRandom } from '../support/random.js';

it('gives the same answers as brute force for random stores full of cycles and exclusions', () => {
  const random = createRandom();
  const worlds = count(100_000);
  const trial = createTrial();
  // Lists and explanations cost most, and are made of checks: a quarter of the worlds has them too.
  for (let world = 0; world < worlds; world++) tryWorld(createWorld(random), engine, trial, world % 4 === 0);
  const { asked, allowed, unknown, wrongAllows, wrongDenies, wrongLists, endless } = trial;
  console.log(
    `${worlds} worlds (seed ${random.seed}): ${asked} checks, ${allowed} allowed, ${unknown} not known; ` +
      `${wrongAllows.length} wrong allows, ${wrongDenies.length} wrong denies, ${wrongLists.length} wrong lists, ${endless} endless`,
  );
  expect(wrongAllows.slice(0, 5)).toEqual([]);
  expect(wrongDenies.slice(0, 5)).toEqual([]);
  expect(wrongLists.slice(0, 5)).toEqual([]);
  expect(endless).toBe(0);
});
