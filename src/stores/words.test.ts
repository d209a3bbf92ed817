import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, keyOf, requireStorable, requireStorableWrite } from './words.js';

const record = { at: 1, zone: 'z', action: 'grant.write', decision: 'allow', principal: 'user:ana' } as const;
const word = fc.string({ unit: 'grapheme', maxLength: 6 });
const key = fc.record({ user: word, relation: word, object: word });

describe('texts', () => {
  it('are refused if they could not be read back unchanged', () => {
    for (const text of ['a\0', '\ud83d', '\ude00\ud83d', 'x'.repeat(4097)])
      expect(() => requireStorable({ user: text })).toThrow(/^user /);
    expect(() => requireStorable({ zone: 'x'.repeat(257) })).toThrow(/^zone is longer than 256/);
    expect(() => requireStorable({ user: 'x'.repeat(4096), zone: '😀', label: undefined })).not.toThrow();
  });

  it('are checked in every part of a write', () => {
    const fine = { user: 'u', relation: 'r', object: 'o' };
    const odd = '\0';
    const writes = [
      { zone: odd },
      { record: { ...record, principal: odd } },
      { add: [{ ...fine, user: odd }] },
      { add: [{ ...fine, condition: { name: odd } }] },
      { remove: [{ ...fine, object: odd }] },
      { removeMatching: [{ objectType: odd }] },
    ];
    for (const write of writes)
      expect(() => requireStorableWrite({ zone: 'z', record, ...write })).toThrow('cannot be stored');
    expect(() => requireStorableWrite({ zone: 'z', record, add: [fine] })).not.toThrow();
  });

  it('are sorted by their UTF-8 bytes', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        const bytes = (text: string): Buffer => Buffer.from(text);
        const wanted =
          Buffer.compare(bytes(one.object), bytes(other.object)) ||
          Buffer.compare(bytes(one.relation), bytes(other.relation)) ||
          Buffer.compare(bytes(one.user), bytes(other.user));
        expect(Math.sign(compareKeys(one, other))).toBe(wanted);
      }),
    );
    expect(
      compareKeys({ user: '\ue000', relation: '', object: '' }, { user: '😀', relation: '', object: '' }),
    ).toBeLessThan(0);
  });

  it('of a tuple form one key', () => {
    expect(keyOf({ user: 'a","b', relation: '', object: '' })).not.toBe(
      keyOf({ user: 'b', relation: 'a', object: '' }),
    );
  });
});
