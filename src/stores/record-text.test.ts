import { describe, expect, it } from 'vitest';
import { auditOf, columnText, conditionOf, conditionText, tokenOf, tokenText } from './record-text.js';

describe('records as text', () => {
  it('are reported as damaged when they are not what was written', () => {
    const corrupt = { name: 'StoreError', code: 'store.corrupt' };
    const reads = [
      () => conditionOf('{'),
      () => conditionOf('[]'),
      () => conditionOf('{"name":1}'),
      () => conditionOf('{"name":"c","context":[]}'),
      () => tokenOf('{"id":"x"}', null, null),
      () => auditOf('{"zone":"z"}'),
      () => auditOf('null'),
    ];
    for (const read of reads) expect(read).toThrow(expect.objectContaining(corrupt));
  });

  it('leave out the token fields that have their own columns', () => {
    const token = { id: 'i', zone: 'z', hash: 'h', principal: 'agent:a', createdBy: 'user:b', createdAt: 1 };
    const text = tokenText({ ...token, revokedAt: 2, lastUsedAt: 3 });
    expect(JSON.parse(text)).toEqual(token);
    expect(tokenOf(text, 4, null)).toEqual({ ...token, revokedAt: 4 });
  });

  it('give equal conditions the same text', () => {
    expect(conditionText(undefined)).toBe(null);
    expect(conditionText({ name: 'c', context: { b: 1, a: new Date(0) } })).toBe(
      '{"name":"c","context":{"a":"1970-01-01T00:00:00.000Z","b":1}}',
    );
    expect(conditionOf(null)).toBe(undefined);
  });

  it('have columns that every database can search', () => {
    expect(columnText('agent:alice')).toBe('agent:alice');
    const odd = ['a\0b', 'a\0c', '\ud800', '\udfff', 'x'.repeat(201), 'x'.repeat(202)].map(columnText);
    expect(new Set(odd).size).toBe(odd.length);
    for (const text of odd) expect(text).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});
