import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFirstGroups } from './first-groups.js';

it('keeps the smallest paths in any order of arrival, and no more than needed', () => {
  const groups = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-d]{1,4}$/), fc.integer({ min: 1, max: 4 })), {
    selector: ([path]) => path,
    maxLength: 30,
  });
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 20 }), (given, wanted) => {
      const first = createFirstGroups<number>(wanted);
      for (const [name, size] of given) {
        const path = Buffer.from(name);
        if (first.wants(path)) first.add({ path, items: Array.from({ length: size }, (_, at) => at) });
      }
      const expected: string[] = [];
      let held = 0;
      for (const [name, size] of [...given].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (held >= wanted) break;
        expected.push(name);
        held += size;
      }
      expect(first.groups.map(({ path }) => path.toString())).toEqual(expected);
      expect(first.isFull).toBe(held >= wanted);
    }),
    { numRuns: 1000 },
  );
});
