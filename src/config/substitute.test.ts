import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { substitute } from './substitute.js';

const environment = { A: 'a', EMPTY: '', NESTED: '${A}' };

describe('substitute', () => {
  it.each([
    ['${A}', 'a'],
    ['x${A}${A}y', 'xaay'],
    ['${A:-d}', 'a'],
    ['${NO:-d}', 'd'],
    ['${NO:-}', ''],
    ['${EMPTY}', ''],
    ['${EMPTY:-d}', 'd'],
    ['${NO:-a:-b c$}', 'a:-b c$'],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['${A}$${A}', 'a${A}'],
    ['$A $ {A} }{ $', '$A $ {A} }{ $'],
    ['${NESTED}', '${A}'],
    ['${A}${NESTED}', 'a${A}'],
  ])('turns %s into %s', (text, expected) => {
    expect(substitute(text, environment)).toMatchObject({ text: expected, missing: [], malformed: [] });
  });

  it('reports every missing variable and every invalid reference', () => {
    const { missing, malformed } = substitute('${NO} ${} ${a-b} ${NOR} ${', environment);
    expect(missing.map(({ name }) => name)).toEqual(['NO', 'NOR']);
    expect(malformed).toEqual(['${}', '${a-b}', '${']);
  });

  it('leaves text without a reference unchanged, and can express any text with escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', '\n') }), (text) => {
        if (!text.includes('${')) expect(substitute(text, environment).text).toBe(text);
        const escaped = text.replaceAll('${', () => '$${');
        expect(substitute(escaped, environment)).toMatchObject({
          text,
          missing: [],
          malformed: [],
          isReference: false,
        });
      }),
    );
  });

  it('takes time proportional to the length of the text', () => {
    const times = [20_000, 200_000].map((count) => {
      const text = '${a:-'.repeat(count);
      const begun = performance.now();
      substitute(text, environment);
      return performance.now() - begun;
    });
    // Quadratic would be a hundred times as long; the floor keeps out the noise of short times.
    expect(times[1]).toBeLessThan(Math.max(200, 40 * (times[0] ?? 0)));
  });
});
