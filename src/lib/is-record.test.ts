import { describe, expect, it } from 'vitest';
import { asRecord, isRecord } from './is-record.js';

describe('isRecord', () => {
  it('accepts objects with named values', () => {
    expect([{}, { a: 1 }, Object.create(null)].every(isRecord)).toBe(true);
  });

  it('rejects arrays, null and everything that is not an object', () => {
    expect([[], null, undefined, 'text', 1, true, () => 1].some(isRecord)).toBe(false);
  });
});

describe('asRecord', () => {
  it('returns the record, or an empty one', () => {
    const record = { a: 1 };
    expect(asRecord(record)).toBe(record);
    expect([asRecord([1]), asRecord(null), asRecord('text')]).toEqual([{}, {}, {}]);
  });
});
