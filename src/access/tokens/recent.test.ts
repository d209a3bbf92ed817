import { describe, expect, it } from 'vitest';
import { createRecent } from './recent.js';

describe('the LRU map', () => {
  it('evicts the least recently used entry', () => {
    const recent = createRecent<string, number>(3);
    for (const [at, key] of ['a', 'b', 'c'].entries()) recent.set(key, at);
    recent.get('a');
    recent.set('d', 3);
    expect(['a', 'b', 'c', 'd'].map((key) => recent.get(key))).toEqual([0, undefined, 2, 3]);
    recent.set('c', 9);
    recent.set('e', 4);
    expect(['a', 'c', 'd', 'e'].map((key) => recent.get(key))).toEqual([undefined, 9, 3, 4]);
    recent.clear();
    expect(recent.get('c')).toBeUndefined();
  });
});
