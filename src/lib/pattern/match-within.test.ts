import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStepBudget, matchWithin } from './match-within.js';

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\w',
    '\\d',
    '\\s',
    '\\u0061',
    '\\u{1F600}',
    '\\p{Lu}',
    '😀',
    '\\x62',
    '\\/',
    '-',
  ],
);
const edge = fc.constantFrom('^', '$', '\\b', '\\B');
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('|')),
  ),
  part: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    atom,
    edge,
    fc
      .tuple(atom, fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?'))
      .map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom('', '*', '+', '?', '{2,3}', '*?'))
      .map(([open, inner, times]) => `${open}${inner})${times}`),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
}));
const text = fc
  .array(fc.constantFrom('a', 'b', 'A', '1', ' ', '-', '/', '😀', '\n'), { maxLength: 8 })
  .map((chars) => chars.join(''));

describe('matchWithin', () => {
  it('agrees with the built-in matcher', () => {
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        // V8 tries a match inside of a surrogate pair, where the language does not begin one.
        fc.pre(!given.includes('😀') || !/\\B|\(\?<?!/.test(source));
        const expected = new RegExp(source, 'u').test(given) ? 'match' : 'no_match';
        expect(matchWithin(source, given)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['(a|b)\\1', 'ab', 'no_match'],
    ['(a|b)\\1', 'abb', 'match'],
    ['^(?<x>.+)-\\k<x>$', 'one-one', 'match'],
    ['^(?<x>.+)-\\k<x>$', 'one-two', 'no_match'],
    ['(?<=(\\d)\\1)x', '7x', 'match'],
    ['(?<=\\1(\\d))x', '77x', 'match'],
    ['^(?:(a)|b)*\\1$', 'ab', 'match'],
    ['\\uD83D\\uDE00', '😀', 'match'],
    ['^[\\]\\-]+$', ']-', 'match'],
    ['^$', '', 'match'],
    ['(', '', 'invalid'],
    ['[\\w-.]', '', 'invalid'],
  ])('%s on %j: %s', (source, given, expected) => {
    expect(matchWithin(source, given)).toBe(expected);
    const native = (): string => (new RegExp(source, 'u').test(given) ? 'match' : 'no_match');
    if (expected !== 'invalid') expect(native()).toBe(expected);
  });

  it.each([
    ['^([a-z0-9]+-?)+$', `${'a'.repeat(50_000)}!`],
    ['^(a+)+$', `${'a'.repeat(50_000)}!`],
    ['(x+x+)+y', 'x'.repeat(50_000)],
    ['\\s+$', `${' '.repeat(100_000)}x`],
    ['^(?:a|a)*$', `${'a'.repeat(50_000)}!`],
  ])('[15.38] answers in linear time: %s', (source, given) => {
    const budget = createStepBudget();
    expect(matchWithin(source, given, budget)).toBe('no_match');
    expect(budget.left).toBeGreaterThan(0);
  });

  it.each([
    ['^(a*)*\\1$', `${'a'.repeat(5000)}!`],
    ['(?:a{1000}){1000}', 'a'],
    ['(?=a*b)(?=a*c)', 'a'.repeat(50_000)],
    ['(?:a|b)+c', 'a'.repeat(3_000_000)],
  ])('[15.38] gives up when the budget is used up: %s', (source, given) => {
    expect(matchWithin(source, given)).toBe('too_costly');
  });

  it('accepts long texts if a pattern needs no backtracking', () => {
    expect(matchWithin('^[a-z]+$', 'a'.repeat(3_000_000))).toBe('match');
  });

  it('shares a budget between patterns', () => {
    const budget = createStepBudget(1000);
    expect(matchWithin('^(a|b)+$', 'a'.repeat(100), budget)).toBe('match');
    expect(matchWithin('^(a|b)+$', 'a'.repeat(100), budget)).toBe('too_costly');
  });
});
