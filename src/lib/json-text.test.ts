import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count } from '../../test/support/counts.js';
import { arrayText, jsonText, objectText } from '../../test/support/json-arbitrary.js';
import {
  elementsOf,
  hasDuplicateKeys,
  JsonText,
  memberOf,
  membersOf,
  splice,
  textOf,
  withMembers,
} from './json-text.js';

const runs = { numRuns: count(5_000) };

/** What `JSON.parse` makes of a text, without the traps of inherited members. */
function parsed(text: string): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>));
}

function sameValue(text: string, value: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(text), value);
}

describe('membersOf', () => {
  it('finds what JSON.parse finds, for any spelling', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const members = membersOf(text);
        const wanted = parsed(text);
        expect(new Set(members.map(({ key }) => key))).toEqual(new Set(wanted.keys()));
        for (const [key, value] of wanted) {
          expect(sameValue(textOf(text, members, key) ?? 'none', value)).toBe(true);
        }
      }),
      runs,
    );
  });

  it('returns spans with only punctuation and whitespace between them', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const members = membersOf(text);
        const gaps = splice(
          text,
          members.map(({ keyStart, end }) => ({ start: keyStart, end, text: '' })),
        );
        expect(gaps.replace(/[ \t\r\n]/g, '')).toBe(`{${','.repeat(Math.max(0, members.length - 1))}}`);
      }),
      runs,
    );
  });

  it('starts at the given position', () => {
    const text = '{"a":{"b":1}}';
    const outer = memberOf(membersOf(text), 'a');
    expect(membersOf(text, outer?.start).map(({ key }) => key)).toEqual(['b']);
  });

  it('terminates on text that is not an object', () => {
    for (const text of ['', '[]', '5', '"', '{', '{"a', '{"a":', '{"a":"', '{"a":[', 'null', '{"a" 1}']) {
      expect(Array.isArray(membersOf(text))).toBe(true);
      expect(Array.isArray(elementsOf(text))).toBe(true);
    }
  });
});

describe('memberOf', () => {
  it('takes the last of two members, as JSON.parse does', () => {
    const text = '{"a":1,"\\u0061":2}';
    expect(textOf(text, membersOf(text), 'a')).toBe('2');
    expect(JSON.parse(text)).toEqual({ a: 2 });
  });
});

describe('hasDuplicateKeys', () => {
  it('finds a duplicate key, even with different escapes', () => {
    expect(hasDuplicateKeys(membersOf('{"a":1,"b":2}'))).toBe(false);
    expect(hasDuplicateKeys(membersOf('{"a":1,"\\u0061":2}'))).toBe(true);
  });

  it('agrees with a set for any number of members', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 60 }), (keys) => {
        const text = `{${keys.map((key) => `${JSON.stringify(key)}:1`).join(',')}}`;
        expect(hasDuplicateKeys(membersOf(text))).toBe(new Set(keys).size < keys.length);
      }),
    );
  });

  it('does not compare every pair of a hostile number of members', () => {
    const text = `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join(',')}}`;
    const members = membersOf(text);
    const started = performance.now();
    expect(hasDuplicateKeys(members)).toBe(false);
    // Five thousand million comparisons would take far longer on any machine.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('elementsOf', () => {
  it('finds what JSON.parse finds', () => {
    fc.assert(
      fc.property(arrayText, (text) => {
        const wanted = JSON.parse(text) as unknown[];
        const found = elementsOf(text);
        expect(found).toHaveLength(wanted.length);
        found.forEach((element, at) => expect(sameValue(element, wanted[at])).toBe(true));
      }),
      runs,
    );
  });
});

describe('withMembers', () => {
  it('changes only the given members and keeps every other byte', () => {
    fc.assert(
      fc.property(objectText, jsonText, (text, value) => {
        const key = membersOf(text)[0]?.key;
        if (key === undefined) return;
        const edits = membersOf(text)
          .filter((member) => member.key === key)
          .map(({ start, end }) => ({ start, end, text: value }));
        expect(withMembers(text, { [key]: value })).toBe(splice(text, edits));
      }),
      runs,
    );
  });

  it('adds a member after all others and keeps every other byte', () => {
    fc.assert(
      fc.property(objectText, jsonText, (text, value) => {
        const key = 'a key that nobody drew';
        const out = withMembers(text, { [key]: value });
        const added = memberOf(membersOf(out), key);
        expect(out.slice(added?.start, added?.end)).toBe(value.trim());
        const comma = parsed(text).size > 0 ? ',' : '';
        expect(out).toContain(`${comma}${JSON.stringify(key)}:${value}`);
        expect(out.replace(`${comma}${JSON.stringify(key)}:${value}`, '')).toBe(text);
      }),
      runs,
    );
  });

  it('removes members in every spelling, and nothing else', () => {
    fc.assert(
      fc.property(objectText, fc.nat(), (text, pick) => {
        const members = membersOf(text);
        fc.pre(members.length > 0);
        const key = members[pick % members.length]?.key ?? '';
        const out = withMembers(text, { [key]: undefined });
        const wanted = new Map([...parsed(text)].filter(([name]) => name !== key));
        expect(isDeepStrictEqual(parsed(out), wanted)).toBe(true);
        const kept = members.filter((member) => member.key !== key);
        expect(membersOf(out).map(({ keyStart, end }) => out.slice(keyStart, end))).toEqual(
          kept.map(({ keyStart, end }) => text.slice(keyStart, end)),
        );
      }),
      runs,
    );
  });

  it('returns the same bytes if nothing changes', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        expect(withMembers(text, {})).toBe(text);
        expect(withMembers(text, { 'a key that nobody drew': undefined })).toBe(text);
      }),
      runs,
    );
  });

  it('keeps the order, the spacing and big numbers around a change', () => {
    const text = '{ "z" : 12345678901234567890 ,\t"a":1, "m":[ 1.0 ] }';
    expect(withMembers(text, { a: '"x"', n: '2' })).toBe(
      '{ "z" : 12345678901234567890 ,\t"a":"x", "m":[ 1.0 ],"n":2 }',
    );
    expect(withMembers(text, { z: undefined })).toBe('{ "a":1, "m":[ 1.0 ] }');
    expect(withMembers(text, { m: undefined })).toBe('{ "z" : 12345678901234567890 ,\t"a":1 }');
    expect(withMembers(text, { z: undefined, a: undefined, m: undefined })).toBe('{  }');
  });

  it('leaves text that is not an object unchanged', () => {
    for (const text of ['[1]', '"x"', '5', 'null']) expect(withMembers(text, { a: '1' })).toBe(text);
  });
});

describe('splice', () => {
  it('replaces spans in any order', () => {
    expect(
      splice('abcdef', [
        { start: 4, end: 5, text: 'X' },
        { start: 0, end: 2, text: '' },
      ]),
    ).toBe('cdXf');
    expect(splice('abc', [])).toBe('abc');
    expect(splice('abc', [{ start: 3, end: 3, text: 'd' }])).toBe('abcd');
  });
});

describe('JsonText', () => {
  it('keeps the text and parses it on demand', () => {
    const json = new JsonText('{"n":12345678901234567890}');
    expect(json.text).toBe('{"n":12345678901234567890}');
    expect(json.value).toEqual({ n: 12345678901234567000 });
    expect(json.value).toBe(json.value);
  });

  it('is one line with the same value, so that its text cannot pass for another message', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const json = new JsonText(text);
        expect(json.text).not.toMatch(/[\r\n]/);
        expect(sameValue(json.text, JSON.parse(text))).toBe(true);
      }),
      runs,
    );
    expect(new JsonText('{\r\n  "a": "\\n"\n}').text).toBe('{    "a": "\\n" }');
  });

  it('does not parse a value that is already known', () => {
    const value = { a: 1 };
    expect(JsonText.known('{"a":1}', value).value).toBe(value);
    expect(JsonText.from(value).text).toBe('{"a":1}');
  });
});
