import { describe, expect, it } from 'vitest';
import { type TableLook, tableLines } from './table.js';
import { widthOf } from './text-width.js';

const at = (columns: number, long: TableLook['long'] = 'cut'): TableLook => ({ columns, long });

describe('tableLines', () => {
  it('right-aligns numbers and left-aligns everything else', () => {
    const rows = [
      ['NAME', 'TOOLS', 'TIME', 'VERSION', 'ABOUT'],
      ['a', '7', '99 ms', '1.0.0', 'x'],
      ['b', '1,200', '-', '1.0.10', 'y'],
    ];
    expect(tableLines(rows, at(80))).toEqual([
      'NAME  TOOLS   TIME  VERSION  ABOUT',
      'a         7  99 ms  1.0.0    x',
      'b     1,200      -  1.0.10   y',
    ]);
  });

  it('counts columns of the terminal, not characters', () => {
    const rows = [
      ['日本', 'x'],
      ['abc', 'y'],
    ];
    expect(tableLines(rows, at(80))).toEqual(['日本  x', 'abc   y']);
    const [line = ''] = tableLines([['a', '日本語 '.repeat(10)]], at(30));
    expect(widthOf(line)).toBeLessThanOrEqual(30);
    expect(line.endsWith('…')).toBe(true);
  });

  it('puts a name that is too long on its own line', () => {
    const rows = [
      ['short', 'server:a', 'What it does, in some words'],
      ['a_name_that_is_much_longer_than_others', 'server:a', 'Short.'],
    ];
    expect(tableLines(rows, at(50))).toEqual([
      'short  server:a  What it does, in some words',
      'a_name_that_is_much_longer_than_others',
      '       server:a  Short.',
    ]);
  });

  it('drops empty columns and folds the rest on a narrow terminal', () => {
    const rows = [
      ['TOKEN', 'FROM', 'EXPIRES', 'LABEL'],
      ['tok_a', '-', '2030-01-31 12:00', 'nightly'],
    ];
    expect(tableLines(rows, at(60))).toEqual([
      'TOKEN  FROM  EXPIRES           LABEL',
      'tok_a  -     2030-01-31 12:00  nightly',
    ]);
    expect(tableLines(rows, at(35))).toEqual([
      'TOKEN  EXPIRES           LABEL',
      'tok_a  2030-01-31 12:00  nightly',
    ]);
    const wide = [Array.from({ length: 6 }, (_, n) => `column-${String(n)}`)];
    expect(tableLines(wide, at(30))).toEqual([
      'column-0  column-1  column-2',
      '    column-3  column-4',
      '    column-5',
    ]);
  });

  it('shows paths in full, and cuts or wraps other long cells', () => {
    const path = `/home/ana/${'folder/'.repeat(6)}file`;
    expect(tableLines([['a', path]], at(40))).toEqual(['a', `    ${path}`]);
    const words = 'one two three four five six seven';
    expect(tableLines([['a', words]], at(25))).toEqual(['a  one two three four fi…']);
    expect(tableLines([['a', words]], at(25, 'wrapped'))).toEqual([
      'a  one two three four',
      '   five six seven',
    ]);
    expect(tableLines([['a', 'b', `${path}  ok`]], at(40, 'wrapped'))).toEqual([
      'a  b',
      `    ${path}`,
      '     ok',
    ]);
    expect(tableLines([['a', words]], at(Infinity))).toEqual([`a  ${words}`]);
  });

  it('accepts any number of rows', () => {
    const rows = Array.from({ length: 150_000 }, (_, n) => [`tool_${String(n)}`, 'server:a', 'Does it.']);
    expect(tableLines(rows, at(80))).toHaveLength(150_000);
  });

  it('does not make every line as long as the longest cell', () => {
    const rows = Array.from({ length: 100 }, (_, n) => ['a', n === 0 ? 'b '.repeat(10_000) : 'b', 'c']);
    const lines = tableLines(rows, at(Infinity));
    expect(lines).toHaveLength(100);
    expect(lines.join('\n').length).toBeLessThan(60_000);
  });
});
