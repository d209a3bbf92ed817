import { describe, expect, it } from 'vitest';
import { listFromText } from './list-text.js';

describe('listFromText', () => {
  it('reads a JSON array, and words separated by commas', () => {
    expect(listFromText('[1,{"a":2}]')).toEqual([1, { a: 2 }]);
    expect(listFromText('a, b')).toEqual(['a', 'b']);
  });

  it('[15.10] does not parse an array of millions of values', () => {
    expect(listFromText(`[${'{},'.repeat(300_000)}{}]`)[0]).toBe('[{}');
  });
});
