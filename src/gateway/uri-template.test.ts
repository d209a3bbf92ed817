import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count } from '../../test/support/counts.js';
import { templateMatches } from './uri-template.js';

describe('templateMatches', () => {
  it.each([
    ['test://template/{id}/data', 'test://template/123/data', true],
    ['test://template/{id}/data', 'test://template/a/b/data', true],
    ['test://template/{id}/data', 'test://template//data', true],
    ['test://template/{id}/data', 'test://template/data', false],
    ['test://template/{id}/data', 'test://template/123/other', false],
    ['test://template/{id}/data', 'xtest://template/1/data', false],
    ['test://template/{id}/data', 'test://template/1/data/more', false],
    ['file:///{+path}', 'file:///a/b/c.txt', true],
    ['x://{a}/{b}', 'x://1/2', true],
    ['x://{a}/{b}', 'x://12', false],
    ['x://{a}-{b}-{c}', 'x://1-2-3', true],
    ['x://{a}-{b}-{c}', 'x://1-2', false],
    ['x://{a}{b}', 'x://', true],
    ['x://plain', 'x://plain', true],
    ['x://plain', 'x://plainer', false],
    ['{+anything}', 'y://z', true],
    ['ab{x}ba', 'aba', false],
    ['', '', true],
    ['x://(.*)/{id}', 'x://anything/1', false],
  ])('%s and %s: %s', (template, uri, matches) => {
    expect(templateMatches(template, uri)).toBe(matches);
  });

  it('matches every address made from the template', () => {
    const literal = fc.string({ unit: fc.constantFrom('a', '/', '-', '.'), maxLength: 4 });
    const value = fc.string({ unit: fc.constantFrom('a', '/', '-', 'z', '.'), maxLength: 6 });
    fc.assert(
      fc.property(literal, fc.array(fc.tuple(value, literal), { maxLength: 5 }), (first, parts) => {
        const template = first + parts.map(([, text]) => `{v}${text}`).join('');
        const uri = first + parts.map(([drawn, text]) => drawn + text).join('');
        return templateMatches(template, uri);
      }),
      { numRuns: count(10_000) },
    );
  });
});
