import { describe, expect, it } from 'vitest';
import { durationNotations, longestDuration, parseDuration } from './duration.js';

describe('a duration', () => {
  it.each([
    [250, 250],
    [0, 0],
    ['500ms', 500],
    ['60s', 60_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
  ])('%s is %d ms', (written, expected) => expect(parseDuration(written)).toBe(expected));

  it.each([
    '',
    '5',
    's',
    '-1s',
    '1 s',
    '1d',
    '1e3s',
    'Infinitys',
    '1m30s',
    '999h9',
    '600h',
    -1,
    Number.NaN,
    longestDuration + 1,
  ])('%s is invalid', (written) => expect(parseDuration(written)).toBeUndefined());
});

describe('a compound duration', () => {
  const { parse } = durationNotations.compound;
  it.each([
    [30, 30_000],
    ['30', 30_000],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['250us', 0.25],
  ])('%s is %d ms', (written, expected) => expect(parse(written)).toBe(expected));

  it.each(['', 's', '-1s', '1 s', '1d', '1m30', -1, Number.NaN, '600h'])('%s is invalid', (written) =>
    expect(parse(written)).toBeUndefined(),
  );
});
