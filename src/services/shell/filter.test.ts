import { expect, it } from 'vitest';
import { createFilter } from './filter.js';

it('keeps lines that hold the text, or one of the texts between bars', () => {
  const filter = createFilter('error|warn');
  expect(['an error', 'a warning', 'fine', 'err|or'].map((line) => filter?.(line))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('reads everything else as it stands', () => {
  const filter = createFilter('(a+)+$');
  expect(filter?.(`${'a'.repeat(50_000)}!`)).toBe(false);
  expect(filter?.('x (a+)+$ y')).toBe(true);
});

it('wants every line when there is nothing to look for', () => {
  expect([createFilter(undefined), createFilter(''), createFilter('|')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
