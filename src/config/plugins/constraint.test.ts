import { expect, it } from 'vitest';
import { fits, isVersion } from './constraint.js';

it.each([
  ['0.10.0', '>=0.4.0', true],
  ['0.10.0', '>=0.4.0 <1.0.0', true],
  ['0.10.0', '>= 0.4.0, < 0.9', false],
  ['0.10.0', '0.10.0', true],
  ['0.10.0', '!=0.10.0', false],
  ['0.10.0', '>0.9', true],
  ['0.10.0', '>=0.10.0-rc.1', true],
  ['0.10.0-rc.1', '>=0.10.0', false],
  ['0.10.0', '', undefined],
  ['0.10.0', 'latest', undefined],
  ['0.10.0', '>=0.4.0 nonsense', undefined],
])('%s and %s: %s', (version, constraint, answer) => {
  expect(fits(version, constraint)).toBe(answer);
});

it('a version consists of three numbers', () => {
  expect(['1.2.3', '1.2.3-rc.1', '1.2', 'v1.2.3', '1.2.3.4', ''].map(isVersion)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
