import { describe, expect, it } from 'vitest';
import { holds, valueOfExpression, wholeNumber } from './evaluate.js';
import { parseExpression } from './parse.js';

const names = {
  inputs: { mode: 'full', count: '5', dry: 'true', ratio: '0.5' },
  states: { build: { Output: 'all OK, done', ExitCode: 0, Response: { items: [1, 2] } } },
  env: { CI: '1' },
  loop: { Index: 2, Item: 'x' },
};

describe('conditions', () => {
  it.each([
    ["inputs.mode == 'full'", true],
    ['inputs.count > 3 and inputs.count <= 5', true],
    ['inputs.dry', true],
    ['not inputs.dry || inputs.ratio < 1', true],
    ['states.build.ExitCode == 0 && states.build.Output contains "OK, done"', true],
    ['contains(states.build.Output, "OK, done")', true],
    ['has_prefix(states.build.Output, "all")', true],
    ['states.build.Output endsWith "done"', true],
    ['states.gone.ExitCode == 0', false],
    ['inputs.gone > 3', false],
    ['inputs.gone != "a"', true],
    ['inputs.gone', false],
    ['loop.Index * 2 + 1 == 5', true],
    ['"x" in ["x", "y"]', true],
    ['"z" not in ["x", "y"]', true],
    ['states.build.Response.items[1] == 2', true],
    ['env.CI == "1" ? true : false', true],
    ['1 + 2 * 3 == 7 and not (1 > 2)', true],
  ])('%j is %j', (text, expected) => {
    expect(holds(text, names)).toBe(expected);
  });

  it.each([
    ['inputs.mode', /must be true or false/],
    ['1 +', /ends unexpectedly/],
    ['upper2(1)', /Unknown function "upper2"/],
    ['inputs.mode = 1', /Use == to compare/],
    ['{{inputs.mode}}', /Unexpected "\{"/],
    ['(1 == 1', /expected "\)"/],
    ['1 == 1 2', /Unexpected "2"/],
  ])('%j is rejected', (text, reason) => {
    expect(() => holds(text, names)).toThrow(reason);
  });

  it('return only whole numbers within bounds', () => {
    expect(wholeNumber('inputs.count * 2', names, 1, 10_000)).toBe(10);
    expect(() => wholeNumber('0', names, 1, 10_000)).toThrow(/from 1 to/);
    expect(() => wholeNumber('2 ** 3', names, 1, 10_000)).toThrow(/not supported/);
    expect(() => wholeNumber('inputs.ratio', names, 1, 10_000)).toThrow(/whole number/);
  });

  it('never access inherited properties', () => {
    expect(valueOfExpression('inputs.constructor', names)).toBeUndefined();
    expect(valueOfExpression('inputs["__proto__"]', names)).toBeUndefined();
  });

  it('report the position of an error', () => {
    expect(() => parseExpression('inputs.a == §')).toThrow(expect.objectContaining({ offset: 12 }));
  });
});
