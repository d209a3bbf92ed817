import { describe, expect, it } from 'vitest';
import { readExpiry } from './expiry.js';

const now = Date.UTC(2026, 0, 15, 12);
const hour = 3_600_000;

describe('the expiry of a token', () => {
  it.each([
    ['90m', now + 1.5 * hour],
    ['12h', now + 12 * hour],
    ['30d', now + 720 * hour],
    ['2w', now + 336 * hour],
    ['1y', now + 8760 * hour],
    ['2026-01-16', Date.UTC(2026, 0, 16)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2026-01-15T12:01Z', now + 60_000],
    ['2026-01-15T14:00:30+01:00', now + hour + 30_000],
    ['2026-02-01T00:00:00.250Z', Date.UTC(2026, 1, 1) + 250],
  ])('%s', (text, at) => expect(readExpiry(text, now)).toBe(at));

  it.each([
    '',
    '30',
    '0d',
    '-1d',
    '+1d',
    '1.5d',
    '1 d',
    '30D',
    '30days',
    '1d1h',
    '9999999d',
    '999999y',
    '1s',
    'never',
    'tomorrow',
    '2026-01-15',
    '2025-12-31',
    '2026-02-30',
    '2026-02-30T12:00Z',
    '2026-13-01',
    '2026-1-1',
    '26-01-31',
    '2026-02-01T25:00Z',
    '2026-02-01T12:00',
    '2026-02-01 12:00',
    '01/02/2027',
    '9999-12-31',
    '1767225600',
    'constructor',
  ])('is not %j', (text) => expect(readExpiry(text, now)).toBeUndefined());
});
