import { afterEach, describe, expect, it, vi } from 'vitest';
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

describe('a very long text', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(['🇩🇪', '👩‍👩‍👧‍👦', 'e\u0301', '漢', '🚀', '漢 '])(
    'is as wide as the sum of its letters: %j',
    (letter) => {
      for (let before = 0; before < 5; before += 1)
        expect(widthOf('a'.repeat(before) + letter.repeat(300))).toBe(before + 300 * widthOf(letter));
    },
  );

  it('is measured in short pieces, each of them once', () => {
    const { longest, all } = segmented(() => widthOf('漢 '.repeat(5_000)));
    expect(longest).toBeLessThan(300);
    expect(all).toBeLessThan(11_000);
  });

  it.each(['ab ', '漢 ', 'e\u0301'])('is cut by reading only its beginning: %j', (words) => {
    let cut = '';
    const { all } = segmented(() => (cut = cutTo(words.repeat(10_000), 80)));
    expect(widthOf(cut)).toBeGreaterThan(75);
    expect(all).toBeLessThan(1000);
  });

  it('is not measured beyond the requested width', () => {
    expect(segmented(() => widthOf('漢 '.repeat(5_000), 80)).all).toBeLessThan(1000);
    expect(segmented(() => padded('漢 '.repeat(5_000), 80)).all).toBeLessThan(1000);
  });

  it('is cut even if it takes no columns', () => {
    const marks = `a${'\u0301'.repeat(10_000)}`;
    expect(widthOf(marks)).toBe(1);
    expect(cutTo(marks, 80).length).toBeLessThan(3000);
  });
});

/** Amount of text passed to the segmenter, whose time grows faster than the length. */
function segmented(work: () => unknown): { readonly longest: number; readonly all: number } {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  work();
  const lengths = segment.mock.calls.map(([text]) => text.length);
  segment.mockRestore();
  return {
    longest: lengths.reduce((most, length) => Math.max(most, length), 0),
    all: lengths.reduce((sum, length) => sum + length, 0),
  };
}
