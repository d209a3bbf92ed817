import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count } from '../../test/support/counts.js';
import { jsonText, objectText, stringText } from '../../test/support/json-arbitrary.js';
import { duplicateKey, measureOf } from './json-scan.js';

const runs = { numRuns: count(5_000) };

interface Counted {
  readonly depth: number;
  readonly keys: number;
  readonly values: number;
}

/** The same by way of the parsed value. */
function countedIn(value: unknown): Counted {
  if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0, values: 1 };
  const inner = Object.values(value).map(countedIn);
  const sum = (of: (one: Counted) => number): number => inner.reduce((all, one) => all + of(one), 0);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    keys: sum(({ keys }) => keys) + (Array.isArray(value) ? 0 : inner.length),
    values: 1 + sum(({ values }) => values),
  };
}

describe('measureOf', () => {
  it('agrees with the parsed value, and never counts less than half of the values', () => {
    // Without duplicate keys, because JSON.parse forgets the first of two.
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (drawn) => {
        const [measure, counted] = [measureOf(JSON.stringify(drawn)), countedIn(drawn)];
        expect(measure).toMatchObject({ depth: counted.depth, keys: counted.keys });
        expect(2 * measure.values + 1).toBeGreaterThanOrEqual(counted.values);
        expect(measure.values).toBeLessThanOrEqual(2 * counted.values);
      }),
      runs,
    );
  });

  it('is not fooled by strings', () => {
    fc.assert(
      fc.property(stringText, (text) => {
        expect(measureOf(text)).toEqual({ depth: 0, keys: 0, values: 0 });
      }),
    );
    expect(measureOf('{"[[[":"\\"[{,:"}')).toEqual({ depth: 1, keys: 1, values: 1 });
  });

  it.each([
    ['depth', '['],
    ['keys', ':'],
    ['values', '{},'],
  ] as const)('stops counting above its limit of %s', (limit, item) => {
    const limits = { depth: 1e9, keys: 1e9, values: 1e9, [limit]: 10 };
    expect(measureOf(item.repeat(1_000_000), limits)[limit]).toBe(11);
  });
});

describe('duplicateKey', () => {
  it.each([
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"b":[{"a":{"c":1}},{"a":1,"x":[],"a" : 2}]}', 'a'],
    ['[{"":0, "" :1}]', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":{"b":1},"c":{"b":1},"d":"a","e":["a","a"]}', undefined],
    ['{"a":"\\"a\\":1","b":"{\\"b\\":1}"}', undefined],
  ])('finds in %s the key %s', (text, key) => {
    expect(duplicateKey(text)).toBe(key);
    expect(duplicateKey(text, JSON.parse(text))).toBe(key);
  });

  it('finds a duplicate key at any depth', () => {
    fc.assert(
      fc.property(objectText, jsonText, (inner, other) => {
        const text = `[${other},{"k":${inner},"k":1}]`;
        expect(duplicateKey(text)).toBeDefined();
        expect(duplicateKey(text, JSON.parse(text))).toBe(duplicateKey(text));
      }),
      runs,
    );
  });
});
