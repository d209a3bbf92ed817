import { openAccessEngine } from 'tidegate/testing';
import { describe, expect, it } from 'vitest';
import { runSuite, type SuiteTotals, suiteWays } from '../support/openfga-suite.js';
import { readOpenFgaSuite } from '../support/test-data.js';

const suites = [
  { name: 'consolidated_1_1', check: 360, listObjects: 270, listUsers: 295 },
  { name: 'abac', check: 125, listObjects: 75, listUsers: 91 },
] as const;

describe.each(suites)('the OpenFGA suite $name, on the built package tidegate/testing', (suite) => {
  const corpus = readOpenFgaSuite(suite.name);

  it.skipIf(corpus.found === undefined).each(suiteWays)(
    'gives the expected answers, with %s',
    async (way) => {
      const totals = await runSuite(corpus.found ?? [], way, openAccessEngine);
      console.log(`${suite.name}, ${way}: ${sentence(totals)}`);
      expect(totals.wrong).toEqual([]);
      expect(totals.check).toEqual({ asked: suite.check, right: suite.check });
      expect(totals.listObjects).toEqual({ asked: suite.listObjects, right: suite.listObjects });
      expect(totals.listUsers).toEqual({ asked: suite.listUsers, right: suite.listUsers });
    },
  );
});

function sentence({ check, listObjects, listUsers }: SuiteTotals): string {
  const parts = { check, 'list objects': listObjects, 'list users': listUsers };
  return Object.entries(parts)
    .map(([name, { asked, right }]) => `${name} ${right}/${asked}`)
    .join(', ');
}
