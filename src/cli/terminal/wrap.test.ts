import { describe, expect, it, vi } from 'vitest';
import { wrapped } from './wrap.js';

describe('wrapped', () => {
  it.each([
    ['', 10, ['']],
    ['one two three', 20, ['one two three']],
    ['one two three', 7, ['one two', 'three']],
    ['one two three', Infinity, ['one two three']],
    ['a-word-too-long for it', 6, ['a-word-too-long', 'for it']],
    ['first\n\nsecond part', 8, ['first', '', 'second', 'part']],
    ['- one two three\n- four', 9, ['- one two', '  three', '- four']],
    ['日本 日本 日本', 9, ['日本 日本', '日本']],
    ['Make one: tidegate token create --as agent:a', 20, ['Make one:', 'tidegate token create --as agent:a']],
    ['It broke: git is slow, so it ends', 13, ['It broke: git', 'is slow, so', 'it ends']],
    ['look with `a b` at it all', 13, ['look with', '`a b` at it', 'all']],
    ['10. one two three', 11, ['10. one two', '    three']],
  ])('breaks %j at %d', (text, width, lines) => {
    expect(wrapped(text, width)).toEqual(lines);
  });

  it('indents continuation lines on request', () => {
    expect(wrapped('one two three', 7, '  ')).toEqual(['one two', '  three']);
  });

  it('limits the repeated indent to half of the width', () => {
    const lines = wrapped(`d\n${' '.repeat(3000)}${'w '.repeat(3000)}`, 80);
    expect(lines.join('\n').length).toBeLessThan(15_000);
    expect(lines[1]).toBe(`${' '.repeat(40)}${'w '.repeat(20).trim()}`);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });

  it('measures each word of a line once or twice, however many there are', () => {
    const words = `e${'\u0301'.repeat(50)} `.repeat(200);
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    wrapped(words, 100);
    const all = segment.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    segment.mockRestore();
    expect(all).toBeLessThan(3 * words.length);
  });
});
