import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableJson, printableLines, withoutLongWords } from './printable.js';

describe('printable', () => {
  it.each([
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['c1 \u009b31m \u0085', 'c1 \\u009b31m \\u0085'],
    ['a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['zero\u200bwidth\u200d\u2060\ufeff', 'zero\\u200bwidth\\u200d\\u2060\\ufeff'],
    ['soft\u00adhyphen, arabic mark \u061c', 'soft\\u00adhyphen, arabic mark \\u061c'],
    ['lines\u2028\u2029', 'lines\\u2028\\u2029'],
    ['tag \u{e0041}, selector \u{e0101}', 'tag \\udb40\\udc41, selector \\udb40\\udd01'],
    ['filler \u3164', 'filler \\u3164'],
    ['lone \ud800', 'lone \\ud800'],
    ['two\nlines\tand\r', 'two\\u000alines\\u0009and\\u000d'],
    ['plain ü 漢 🙂 ❤️', 'plain ü 漢 🙂 ❤️'],
  ])('escapes characters that could fool a reader: %j', (text, safe) => {
    expect(printable(text)).toBe(safe);
  });
});

describe('printableLines', () => {
  it('keeps the line breaks of a text', () => {
    expect(printableLines('a\n\tb\r\u202e')).toBe('a\n\tb\\u000d\\u202e');
  });
});

describe('printableJson', () => {
  it('escapes inside strings and keeps the value', () => {
    expect(printableJson('{\r\n\t"a": "\u009b\u{e0041}"}')).toBe('{\r\n\t"a": "\\u009b\\udb40\\udc41"}');
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value, undefined, 2);
        expect(JSON.parse(printableJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('withoutLongWords', () => {
  it('cuts very long words, and says how long they were', () => {
    expect(withoutLongWords(`a ${'x'.repeat(200_000)} b`)).toBe(`a ${'x'.repeat(60)}… (200000 characters) b`);
    expect(withoutLongWords('🙂'.repeat(300))).toBe(`${'🙂'.repeat(30)}… (600 characters)`);
  });

  it('keeps paths and texts with many words', () => {
    const path = `/${Array.from({ length: 16 }, () => 'd'.repeat(255)).join('/')}`;
    expect(withoutLongWords(path)).toBe(path);
    const prose = 'some words '.repeat(10_000);
    expect(withoutLongWords(prose)).toBe(prose);
  });
});
