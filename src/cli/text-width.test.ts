import { describe, expect, it } from 'vitest';
import { cutTo, padded, widthOf } from './text-width.js';

describe('widthOf', () => {
  it.each([
    ['plain', 5],
    ['\u001b[1mbold\u001b[0m', 4],
    ['日本語', 6],
    ['한국어', 6],
    ['e\u0301', 1],
    ['🚀', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['✓ … █ ├─', 8],
    ['ＡＢ', 4],
  ])('of %j is %d', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe('cutTo', () => {
  it.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👩‍👩‍👧‍👦 family', 4, '👩‍👩‍👧‍👦 …'],
    ['\u001b[1mlonger\u001b[0m', 5, '\u001b[1mlong…\u001b[0m'],
    ['\u001b[31m✗\u001b[0m a step that failed', 8, '\u001b[31m✗\u001b[0m a ste…'],
  ])('makes %j fit into %d', (text, width, cut) => {
    expect(cutTo(text, width)).toBe(cut);
    expect(widthOf(cut)).toBeLessThanOrEqual(width);
  });
});

it('pads by columns, on either side', () => {
  expect([padded('日本', 6), padded('7', 3, 'start')]).toEqual(['日本  ', '  7']);
});
