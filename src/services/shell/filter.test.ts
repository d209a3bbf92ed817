import { expect, it } from 'vitest';
import { createFilter } from './filter.js';

it('keeps lines with the text, or with one of the texts between bars', () => {
  const filter = createFilter('error|warn');
  expect(['an error', 'a warning', 'fine', 'err|or'].map((line) => filter?.(line))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('treats everything else literally', () => {
  const filter = createFilter('(a+)+$');
  expect(filter?.(`${'a'.repeat(50_000)}!`)).toBe(false);
  expect(filter?.('x (a+)+$ y')).toBe(true);
});

it('keeps every line if the filter is empty', () => {
  expect([createFilter(undefined), createFilter(''), createFilter('|')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
