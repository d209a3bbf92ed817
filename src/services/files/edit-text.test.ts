import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Encoding, TextEdit } from '../../ports/files.js';
import { editText as editLarge } from './edit-text.js';

const limits = { maxLength: 1_000_000, pause: () => undefined };
const editText = (units: string, textEdit: TextEdit, encoding: Encoding) =>
  editLarge(units, textEdit, encoding, limits);

async function edit(
  text: string,
  oldText: string,
  newText: string,
  more: Partial<TextEdit> = {},
): Promise<unknown> {
  const result = await editText(text, { oldText, newText, ...more }, 'utf-16le');
  return 'units' in result ? result.units : result;
}

describe('an edit', () => {
  it('finds text regardless of line endings, and uses those of the file for new lines', async () => {
    expect(await edit('a\r\nb\r\nc', 'a\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb\r\nc');
    expect(await edit('a\r\nb\r\n', 'a\r\nb', 'x\r\ny')).toBe('x\r\ny\r\n');
    expect(await edit('a\nb\n', 'a\r\nb', 'x\r\ny')).toBe('x\ny\n');
    expect(await edit('a\rb\rc', 'a\nb', 'x\ny\nz')).toBe('x\ry\rz\rc');
    expect(await edit('word', 'word', 'two\nlines')).toBe('two\nlines');
    expect(await edit('a\r\nword', 'word', 'two\nlines')).toBe('a\r\ntwo\r\nlines');
  });

  it('keeps the line endings of unchanged lines in a file that mixes them', async () => {
    expect(await edit('a\r\nb\nc\r\nd', 'a\nb\nc\nd', 'a\nb\nX\nd')).toBe('a\r\nb\nX\r\nd');
    expect(await edit('a\nb\r\nc\n', 'b\nc', 'B\nc')).toBe('a\nB\r\nc\n');
  });

  it('uses the line ending of the lines around it', async () => {
    expect(await edit('a\nb\nc\r\nd\r\n', 'd', 'd\ne')).toBe('a\nb\nc\r\nd\r\ne\r\n');
    expect(await edit('a\nb\nc\r\nd\r\n', 'a', 'a\ne')).toBe('a\ne\nb\nc\r\nd\r\n');
  });

  it('keeps a CRLF that the caller passed explicitly', async () => {
    expect(await edit('a\nb\n', 'b', 'x\r\ny')).toBe('a\nx\r\ny\n');
  });

  it('finds single carriage returns', async () => {
    expect(await edit('a\rb\nc', 'a\rb', 'x')).toBe('x\nc');
    expect(await edit('a\r\r\nb', 'a\r\r\nb', 'x')).toBe('x');
  });

  it('counts the same text with different line endings as two matches', async () => {
    expect(await edit('a\nb\na\r\nb\n', 'a\nb', 'x')).toEqual({
      problem: 'ambiguous',
      count: 2,
      lines: [1, 3],
    });
  });

  it('never replaces overlapping matches twice', async () => {
    expect(await edit('aaa', 'aa', 'b', { replaceAll: true })).toBe('ba');
    expect(await edit('aXaXa', 'a', '$&', { replaceAll: true })).toBe('$&X$&X$&');
  });

  it('reports where the first line of a missing text occurs', async () => {
    expect(await edit('x\n  hello(\ny', 'hello(\n  1', 'z')).toEqual({ problem: 'absent', nearLines: [2] });
    expect(await edit('x', 'y', 'z')).toEqual({ problem: 'absent', nearLines: [] });
  });

  it('does not match half a character', async () => {
    const encoded = Buffer.from('ä€', 'utf8').toString('latin1');
    expect(await editText(encoded, { oldText: '\u00a4', newText: 'x' }, 'utf-8')).toMatchObject({
      problem: 'absent',
    });
    expect(await editText('a\u0a00\u0a0a', { oldText: '\n', newText: 'x' }, 'utf-16le')).toMatchObject({
      problem: 'absent',
    });
  });

  it('finds what Read shows of a file with both line endings, and keeps the one at that place', async () => {
    const units = `${Buffer.from('ä utf-8\n').toString('latin1')}\xe9 latin\n`;
    for (const encoding of ['utf-8', 'latin1'] as const) {
      const one = await editText(units, { oldText: 'ä utf', newText: 'ö' }, encoding);
      expect(one).toEqual({ units: units.replace('\xc3\xa4 utf', '\xc3\xb6'), replacements: 1 });
      const two = await editText(units, { oldText: 'é lat', newText: 'è' }, encoding);
      expect(two).toEqual({ units: units.replace('\xe9 lat', '\xe8'), replacements: 1 });
    }
    // In UTF-8 the byte E9 begins other characters.
    const han = Buffer.from('\u9fff\u9000').toString('latin1');
    expect(await editText(han, { oldText: 'é', newText: 'x' }, 'utf-8')).toMatchObject({ problem: 'absent' });
  });

  it('encodes new characters like the file', async () => {
    expect(await editText('caf\xe9 x', { oldText: 'x', newText: 'é' }, 'latin1')).toEqual({
      units: 'caf\xe9 \xe9',
      replacements: 1,
    });
  });

  it('changes nothing but the match, for any surrounding text', async () => {
    const filler = fc.array(fc.constantFrom('a', 'b', '\r\n', '\n', '\r', '$', 'é', ' '), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(filler, filler, fc.string({ maxLength: 10 }), async (before, after, word) => {
        const text = `${before.join('')}<OLD>${after.join('')}`;
        const newText = word.replaceAll(/[\r\n]/g, '');
        expect(await edit(text, '<OLD>', newText)).toBe(before.join('') + newText + after.join(''));
      }),
    );
  });

  it('can be undone, in every encoding', async () => {
    const encoding = fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'latin1');
    const piece = fc.stringMatching(/^[a-z\n ]{0,20}$/);
    await fc.assert(
      fc.asyncProperty(
        encoding,
        piece,
        piece,
        fc.constantFrom('\n', '\r\n', '\r'),
        async (as, around, lines, ending) => {
          const style = (text: string): string => text.replaceAll('\n', ending);
          const text = style(`${around}\n<A>\n<B>\n${lines}`);
          const there = await editText(text, { oldText: '<A>\n<B>', newText: '<B>\n+\n<A>' }, as);
          if (!('units' in there)) throw new Error(JSON.stringify(there));
          expect(there.units).toBe(style(`${around}\n<B>\n+\n<A>\n${lines}`));
          const back = await editText(there.units, { oldText: '<B>\n+\n<A>', newText: '<A>\n<B>' }, as);
          expect(back).toEqual({ units: text, replacements: 1 });
        },
      ),
    );
  });

  it('[15.10] refuses a result that is too long before creating it', async () => {
    const edited = await editText(
      'a'.repeat(100_000),
      { oldText: 'a', newText: 'b'.repeat(1000), replaceAll: true },
      'latin1',
    );
    expect(edited).toMatchObject({ problem: 'too_long' });
  });

  it('[15.10] replaces in batches with the same result as at once', async () => {
    const text = 'ab\r\nab ab\n'.repeat(3000) + 'ab';
    const edited = await edit(text, 'ab', 'c\nd', { replaceAll: true });
    expect(edited).toBe('c\r\nd\r\nc\nd c\nd\n'.repeat(3000) + 'c\nd');
  });
});
