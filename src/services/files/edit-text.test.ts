import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Encoding, TextEdit } from '../../kernel/files-port.js';
import { editText } from './edit-text.js';

function edit(text: string, oldText: string, newText: string, more: Partial<TextEdit> = {}): unknown {
  const result = editText(text, { oldText, newText, ...more }, 'utf-16le');
  return 'units' in result ? result.units : result;
}

describe('an edit', () => {
  it('finds the line endings of the file and gives them to new lines', () => {
    expect(edit('a\r\nb\r\nc', 'a\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb\r\nc');
    expect(edit('a\r\nb\r\n', 'a\r\nb', 'x\r\ny')).toBe('x\r\ny\r\n');
    expect(edit('a\nb\n', 'a\r\nb', 'x\r\ny')).toBe('x\ny\n');
    expect(edit('a\rb\rc', 'a\nb', 'x\ny\nz')).toBe('x\ry\rz\rc');
    expect(edit('word', 'word', 'two\nlines')).toBe('two\nlines');
    expect(edit('a\r\nword', 'word', 'two\nlines')).toBe('a\r\ntwo\r\nlines');
  });

  it('keeps the endings of lines that it does not change, in a text that mixes them', () => {
    expect(edit('a\r\nb\nc\r\nd', 'a\nb\nc\nd', 'a\nb\nX\nd')).toBe('a\r\nb\nX\r\nd');
    expect(edit('a\nb\r\nc\n', 'b\nc', 'B\nc')).toBe('a\nB\r\nc\n');
  });

  it('takes the ending of the neighbourhood', () => {
    expect(edit('a\nb\nc\r\nd\r\n', 'd', 'd\ne')).toBe('a\nb\nc\r\nd\r\ne\r\n');
    expect(edit('a\nb\nc\r\nd\r\n', 'a', 'a\ne')).toBe('a\ne\nb\nc\r\nd\r\n');
  });

  it('writes a carriage return and line feed that the caller gave on purpose', () => {
    expect(edit('a\nb\n', 'b', 'x\r\ny')).toBe('a\nx\r\ny\n');
  });

  it('finds carriage returns of their own', () => {
    expect(edit('a\rb\nc', 'a\rb', 'x')).toBe('x\nc');
    expect(edit('a\r\r\nb', 'a\r\r\nb', 'x')).toBe('x');
  });

  it('counts the same text with different endings as two places', () => {
    expect(edit('a\nb\na\r\nb\n', 'a\nb', 'x')).toEqual({ problem: 'ambiguous', count: 2, lines: [1, 3] });
  });

  it('never replaces overlapping places twice', () => {
    expect(edit('aaa', 'aa', 'b', { replaceAll: true })).toBe('ba');
    expect(edit('aXaXa', 'a', '$&', { replaceAll: true })).toBe('$&X$&X$&');
  });

  it('says where the first line of a text stands that it did not find', () => {
    expect(edit('x\n  hello(\ny', 'hello(\n  1', 'z')).toEqual({ problem: 'absent', nearLines: [2] });
    expect(edit('x', 'y', 'z')).toEqual({ problem: 'absent', nearLines: [] });
  });

  it('does not find half a character', () => {
    const encoded = Buffer.from('ä€', 'utf8').toString('latin1');
    expect(editText(encoded, { oldText: '\u00a4', newText: 'x' }, 'utf-8')).toMatchObject({
      problem: 'absent',
    });
    expect(editText('a\u0a00\u0a0a', { oldText: '\n', newText: 'x' }, 'utf-16le')).toMatchObject({
      problem: 'absent',
    });
  });

  it('finds UTF-8 in a file that is not wholly UTF-8', () => {
    const units = Buffer.concat([Buffer.from('ä'), Buffer.from([0xe9])]).toString('latin1');
    const edited = editText(units, { oldText: 'ä', newText: 'ö' }, 'latin1');
    expect(edited).toEqual({
      units: Buffer.concat([Buffer.from('ö'), Buffer.from([0xe9])]).toString('latin1'),
      replacements: 1,
    });
  });

  it('changes nothing but the place, for any text around it', () => {
    const filler = fc.array(fc.constantFrom('a', 'b', '\r\n', '\n', '\r', '$', 'é', ' '), { maxLength: 30 });
    fc.assert(
      fc.property(filler, filler, fc.string({ maxLength: 10 }), (before, after, word) => {
        const text = `${before.join('')}<OLD>${after.join('')}`;
        const newText = word.replaceAll(/[\r\n]/g, '');
        expect(edit(text, '<OLD>', newText)).toBe(before.join('') + newText + after.join(''));
      }),
    );
  });

  it('can be undone, in every encoding', () => {
    const encoding = fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'latin1');
    const piece = fc.stringMatching(/^[a-z\n ]{0,20}$/);
    fc.assert(
      fc.property(
        encoding,
        piece,
        piece,
        fc.constantFrom('\n', '\r\n', '\r'),
        (as, around, lines, ending) => {
          const style = (text: string): string => text.replaceAll('\n', ending);
          const text = style(`${around}\n<A>\n<B>\n${lines}`);
          const there = editText(text, { oldText: '<A>\n<B>', newText: '<B>\n+\n<A>' }, as);
          if (!('units' in there)) throw new Error(JSON.stringify(there));
          expect(there.units).toBe(style(`${around}\n<B>\n+\n<A>\n${lines}`));
          const back = editText(there.units, { oldText: '<B>\n+\n<A>', newText: '<A>\n<B>' }, as);
          expect(back).toEqual({ units: text, replacements: 1 });
        },
      ),
    );
  });
});
