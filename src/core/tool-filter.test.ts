import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolFilter } from './tool-filter.js';

const tools = ['read', 'read_file', 'write_file', 'delete'];

describe('a tool filter', () => {
  it.each([
    [['*'], tools],
    [['read'], ['read']],
    [['read*'], ['read', 'read_file']],
    [['*_file', '!write*'], ['read_file']],
    [['!write*', '*_file'], ['read_file']],
    [['!delete'], ['read', 'read_file', 'write_file']],
    [['rea?'], ['read']],
    [['Read'], []],
    [[], []],
  ])('%j offers %j', (patterns, expected) => {
    expect(tools.filter(createToolFilter(patterns))).toEqual(expected);
  });

  it('agrees with the equivalent regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (glob, name) => {
        const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(createToolFilter([glob])(name)).toBe(new RegExp(`^${source}$`).test(name));
      }),
      { numRuns: 2_000 },
    );
  });

  it('answers at once where that regular expression would backtrack', () => {
    expect(createToolFilter([`${'*a'.repeat(50)}*b`])('a'.repeat(5_000))).toBe(false);
  });
});
