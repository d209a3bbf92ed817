import { describe, expect, it } from 'vitest';
import { barLines } from './bars.js';

const columns = [{ head: 'TOOL' }, { head: 'TOKENS', isNumber: true }];
const rows = [
  { cells: ['short', '1,000'], value: 1000 },
  { cells: ['a_tool_whose_name_is_far_too_long_for_a_narrow_terminal', '10'], value: 10 },
  { cells: ['free', '0'], value: 0 },
];
const draw = (width: number): readonly string[] =>
  barLines({ columns, rows, width, fill: '#', rest: '..', paint: (text) => text });

describe('a table with bars', () => {
  it.each([30, 40, 80, 200])('is no wider than %i columns, and the largest has the longest bar', (width) => {
    const lines = draw(width);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    const bars = lines.map((line) => /#*$/.exec(line)?.[0].length ?? 0);
    expect(bars[1]).toBeGreaterThanOrEqual(8);
    expect(bars.slice(2)).toEqual([1, 0]);
  });

  it('cuts a name rather than a number', () => {
    expect(draw(40)[2]).toMatch(/^a_tool_whose_nam.*\.\. +10 {2}#$/);
  });

  it('accepts any number of rows', () => {
    const many = Array.from({ length: 150_000 }, () => ({ cells: ['short', '1'], value: 1 }));
    const lines = barLines({ columns, rows: many, width: 40, fill: '#', rest: '..', paint: (text) => text });
    expect(lines).toHaveLength(150_001);
  });
});
