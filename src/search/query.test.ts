import { describe, expect, it } from 'vitest';
import { type InvalidQuery, parseQuery, type Query, queryLimits } from './index.js';

const invalid = (reason: InvalidQuery): Query => ({ kind: 'invalid', reason });

describe('a query', () => {
  it.each(['', '   ', '\n\t'])('of %j is empty', (text) => {
    expect(parseQuery(text)).toEqual({ kind: 'empty' });
  });

  it.each(['select:a,b', ' Select : a , b,', 'select:a b\n,a'])(
    'of %j selects by name, each name once',
    (text) => {
      expect(parseQuery(text)).toEqual({ kind: 'select', names: ['a', 'b'] });
    },
  );

  it('may select 1 to 25 tools', () => {
    const names = Array.from({ length: 26 }, (_, at) => `tool_${at}`);
    expect(parseQuery(`select:${names.slice(1).join(',')}`).kind).toBe('select');
    expect(parseQuery(`select:${names.join(',')}`)).toEqual(invalid('too_many_names'));
    expect(parseQuery('select: ,')).toEqual(invalid('no_names'));
  });

  it('has 2,000 characters at most', () => {
    expect(parseQuery('x'.repeat(queryLimits.characters)).kind).toBe('need');
    expect(queryLimits).toEqual({ characters: 2000, names: 25 });
    expect(parseQuery('x'.repeat(2001))).toEqual(invalid('too_long'));
  });

  it('marks required words with a plus', () => {
    expect(parseQuery('+github open an +issue')).toEqual({
      kind: 'need',
      text: 'github open an issue',
      required: ['github', 'issue'],
    });
  });

  it.each(['+', 'a + b', 'c++', '1+1'])('of %j requires nothing', (text) => {
    expect(parseQuery(text)).toEqual({ kind: 'need', text, required: [] });
  });
});
