import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Encoding } from '../../ports/files.js';
import { type Page, type PageWindow, readPage } from './page.js';
import { separatorFor } from './separator.js';
import { type Source, sourceOfBytes } from './source.js';

function page(
  bytes: Buffer,
  window: PageWindow,
  encoding: Encoding = 'utf-8',
  isReturn = false,
): Promise<Page> {
  return pageOf(sourceOfBytes(bytes), window, encoding, isReturn);
}

function pageOf(
  source: Source,
  window: PageWindow,
  encoding: Encoding = 'utf-8',
  isReturn = false,
): Promise<Page> {
  return readPage({ source, separator: separatorFor(encoding, isReturn), start: 0, encoding }, window);
}

const texts = ({ lines }: Page): readonly string[] => lines.map(({ text }) => text);
const numbers = ({ lines }: Page): readonly number[] => lines.map(({ number }) => number);

function naive(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const anyText = fc
  .array(fc.constantFrom('a', 'ä', '€', '𝄞', '\n', '\n', 'word '), { maxLength: 60 })
  .map((parts) => parts.join(''));

const encoders: Readonly<Record<Encoding, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text, 'utf8'),
  latin1: (text) => Buffer.from(text, 'latin1'),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
};

describe('a page', () => {
  it('equals the same lines cut from the whole text, in every encoding', async () => {
    const encoding = fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be');
    const offset = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(
        anyText,
        encoding,
        offset,
        fc.integer({ min: 1, max: 20 }),
        async (text, as, from, limit) => {
          const all = naive(text);
          const found = await page(encoders[as](text), { offset: from, limit }, as);
          expect(texts(found)).toEqual(all.slice(from - 1, from - 1 + limit));
          expect(found.totalLines).toBe(all.length);
          expect(found.nextOffset).toBe(from - 1 + limit < all.length ? from + limit : undefined);
          if (found.lines.length > 0) expect(found.lines[0]?.number).toBe(from);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('counted from the end equals the one counted from the beginning', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 20 }), async (text, back) => {
        const all = naive(text);
        const found = await page(Buffer.from(text), { offset: -back, limit: 2000 });
        expect(texts(found)).toEqual(all.slice(-back));
        expect(numbers(found)).toEqual(all.map((_, index) => index + 1).slice(-back));
      }),
      { numRuns: 300 },
    );
  });

  it('of a large text is exact for any block size', async () => {
    const lines = Array.from(
      { length: 200_000 },
      (_, index) => `line ${index + 1} ${'x'.repeat(index % 17)}`,
    );
    const bytes = Buffer.from(`${lines.join('\r\n')}\r\n`);
    for (const offset of [1, 2, 55_555, 123_456, 199_999, 200_000]) {
      const found = await page(bytes, { offset, limit: 2 });
      expect(texts(found)).toEqual(lines.slice(offset - 1, offset + 1));
    }
    const last = await page(bytes, { offset: -3, limit: 10 });
    expect(numbers(last)).toEqual([199_998, 199_999, 200_000]);
    expect(texts(await page(bytes, { offset: -150_000, limit: 1 }))).toEqual([lines[50_000]]);
  });

  it('beyond the end reports the number of lines', async () => {
    expect(await page(Buffer.from('a\nb'), { offset: 9, limit: 1 })).toEqual({
      lines: [],
      totalLines: 2,
      notes: ['There are no such lines: the file has 2 lines.'],
    });
    expect(await page(Buffer.alloc(0), { offset: 1, limit: 1 })).toEqual({
      lines: [],
      totalLines: 0,
      notes: ['The file is empty.'],
    });
  });

  it('shows the beginning of a line that is too long, and the lines after it', async () => {
    const long = `${'ä'.repeat(700_000)}\nshort\n`;
    const found = await page(Buffer.from(long), { offset: 1, limit: 5 });
    expect(found.lines).toEqual([
      { number: 1, text: 'ä'.repeat(2000), isCut: true },
      { number: 2, text: 'short' },
    ]);
    expect(
      texts(await page(Buffer.from(`short\n${'y'.repeat(3_000_000)}`), { offset: -1, limit: 5 }))[0],
    ).toHaveLength(2000);
  });

  it('does not split a character', async () => {
    const found = await page(Buffer.from(`${'a'.repeat(1999)}𝄞 and more`), { offset: 1, limit: 1 });
    expect(found.lines[0]?.text).toBe('a'.repeat(1999));
  });

  it('contains no more than one result can hold', async () => {
    const bytes = Buffer.from(`${'x'.repeat(999)}\n`.repeat(500));
    const found = await page(bytes, { offset: 1, limit: 2000 });
    expect(found.lines.length).toBeGreaterThan(60);
    expect(texts(found).join('\n').length).toBeLessThanOrEqual(64 * 1024);
    expect(found.nextOffset).toBe(found.lines.length + 1);
    const next = await page(bytes, { offset: found.nextOffset ?? 0, limit: 2000 });
    expect(next.lines[0]?.number).toBe(found.nextOffset);
  });

  it('treats carriage returns as line endings if there are no others', async () => {
    expect(texts(await page(Buffer.from('a\rb\rc'), { offset: 2, limit: 5 }, 'utf-8', true))).toEqual([
      'b',
      'c',
    ]);
  });

  it('shows text that is not UTF-8 as Latin-1', async () => {
    expect(texts(await page(Buffer.from('ok ä\ncaf\xe9\n', 'latin1'), { offset: 1, limit: 5 }))).toEqual([
      'ok ä',
      'café',
    ]);
  });

  it('ends in files that never end', async () => {
    const endless = (byte: string): Source => ({
      size: 0,
      read: async (_, length) => Buffer.alloc(length, byte),
    });
    const lines = await pageOf(endless('a\n'), { offset: 1, limit: 3 });
    expect(texts(lines)).toEqual(['a', 'a', 'a']);
    expect(lines.nextOffset).toBe(4);
    const beyond = await pageOf(endless('a\n'), { offset: 1_000_000_000, limit: 3 });
    expect(beyond.notes).toContain('The file is longer than its reported size and was not read further.');
    const one = await pageOf(endless('a'), { offset: 1, limit: 3 });
    expect(one.lines).toEqual([{ number: 1, text: 'a'.repeat(2000), isCut: true }]);
    expect(await pageOf(endless('a\n'), { offset: -5, limit: 3 })).toMatchObject({
      lines: [{ number: 1 }, {}, {}],
    });
  });

  it('numbers lines from the end if counting would take long', async () => {
    const size = 3 * 1024 ** 3;
    const line = Buffer.from(`${'z'.repeat(1023)}\n`);
    const huge: Source = {
      size,
      read: async (position, length) => {
        const shift = position % 1024;
        const all = Buffer.concat(Array.from({ length: Math.ceil((length + shift) / 1024) }, () => line));
        return all.subarray(shift, shift + Math.min(length, size - position));
      },
    };
    const found = await pageOf(huge, { offset: -3, limit: 2 });
    expect(numbers(found)).toEqual([-3, -2]);
    expect(found.nextOffset).toBe(-1);
    expect(found.totalLines).toBeUndefined();
    const last = await pageOf(huge, { offset: -1, limit: 2 });
    expect(numbers(last)).toEqual([-1]);
    expect(last.nextOffset).toBeUndefined();
  });
});

describe('counting lines', () => {
  it('finds every separator, at every alignment', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 0, max: 7 }), (content, shift) => {
        const store = Buffer.alloc(content.length + 8);
        store.set(
          content.map((byte) => (byte % 3 === 0 ? 10 : byte)),
          shift,
        );
        const block = store.subarray(shift, shift + content.length);
        const separator = separatorFor('utf-8', false);
        const naiveCount = [...block].filter((byte) => byte === 10).length;
        expect(separator.countIn(block)).toBe(naiveCount);
        expect(separator.afterNth(block, naiveCount + 1)).toBe(-1);
      }),
    );
  });

  it('treats two bytes of UTF-16 as one character, only at even offsets', () => {
    const separator = separatorFor('utf-16le', false);
    const block = Buffer.from('\u0a00\u0a0a\n\u0a00', 'utf16le');
    expect(separator.countIn(block)).toBe(1);
    expect(separator.next(block, 0)).toBe(4);
    expect(separator.previous(block, block.length)).toBe(4);
    expect(separator.afterNth(block, 1)).toBe(6);
  });
});
