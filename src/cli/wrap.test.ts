import { describe, expect, it } from 'vitest';
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
    ['look with `a b` at it all', 13, ['look with', '`a b` at it', 'all']],
    ['10. one two three', 11, ['10. one two', '    three']],
  ])('breaks %j at %d', (text, width, lines) => {
    expect(wrapped(text, width)).toEqual(lines);
  });

  it('sets in what goes on below, where that is wanted', () => {
    expect(wrapped('one two three', 7, '  ')).toEqual(['one two', '  three']);
  });
});
