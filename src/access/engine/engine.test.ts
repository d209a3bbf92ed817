import { expect, it } from 'vitest';
import { failingCases } from '../../../test/support/access-cases.js';
import { openAccessEngine } from './index.js';

it('answers the single cases: depth, conditions, what a question brings along', async () => {
  expect(await failingCases(openAccessEngine)).toEqual([]);
});
