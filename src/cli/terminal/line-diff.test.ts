import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.js';

describe('a diff of lines', () => {
  it('shows added and removed lines with context', () => {
    expect(lineDiff('a\nb\nc\nd\ne\n', 'a\nb\nc\nX\nY\ne\n', 1)).toEqual(['  c', '- d', '+ X', '+ Y', '  e']);
    expect(lineDiff('', 'a\nb\n')).toEqual(['+ a', '+ b']);
    expect(lineDiff('a\n', 'a\na\n')).toEqual(['  a', '+ a']);
    expect(lineDiff('a\r\n', 'a\r\nb\r\n')).toEqual(['  a', '+ b']);
    expect(lineDiff('same', 'same')).toEqual([]);
  });
});
