import { describe, expect, it } from 'vitest';
import type { FilesFound, TextFound, TextQuery } from '../../ports/search.js';
import { globResult } from './glob-result.js';
import { type GrepQuery, grepResult } from './grep-result.js';

const query: GrepQuery = {
  pattern: 'x',
  isLiteral: false,
  ignoresCase: false,
  isMultiline: false,
  mode: 'lines',
  before: 0,
  after: 0,
  offset: 0,
  limit: 250,
  includeIgnored: false,
  outputMode: 'content',
  hasNumbers: true,
} satisfies TextQuery & GrepQuery;
const whole = { isTruncated: false, skipped: [], totalSkipped: 0 };
const line = (number: number, text: string, isMatch = true) => ({
  line: number,
  text,
  isMatch,
  isCut: false,
});

describe('Grep returns the same as text and as data', () => {
  const found: TextFound = {
    ...whole,
    files: [
      { path: 'a.ts', isBinary: false, lines: [line(1, 'one'), line(2, 'near', false), line(9, 'two')] },
      { path: 'b\n\u001b.ts', isBinary: true, lines: [{ ...line(3, 'long'), isCut: true }] },
    ],
    totalFiles: 2,
    totalMatches: 3,
  };

  it('in content mode, with a separator between groups of lines', () => {
    const { text, data } = grepResult(found, { ...query, before: 1 });
    expect(text).toBe(
      [
        'a.ts:1:one',
        'a.ts-2-near',
        '--',
        'a.ts:9:two',
        '--',
        'b\\u{a}\\u{1b}.ts:3:long… [cut]',
        'Binary file b\\u{a}\\u{1b}.ts matches',
      ].join('\n'),
    );
    expect(data).toEqual({
      output_mode: 'content',
      matches: [
        { file: 'a.ts', line: 1, text: 'one' },
        { file: 'a.ts', line: 2, text: 'near', context: true },
        { file: 'a.ts', line: 9, text: 'two' },
        { file: 'b\n\u001b.ts', line: 3, text: 'long', cut: true },
      ],
      binary_files: ['b\n\u001b.ts'],
      total_files: 2,
      total_matches: 3,
      truncated: false,
    });
  });

  it('without line numbers on request', () => {
    expect(grepResult(found, { ...query, hasNumbers: false }).text).toContain('a.ts:one\na.ts-near\n');
  });

  it('in files_with_matches mode', () => {
    const files = found.files.map((file) => ({ ...file, lines: [] }));
    const { text, data } = grepResult(
      { ...whole, files, totalFiles: 2 },
      { ...query, outputMode: 'files_with_matches' },
    );
    expect(text).toBe('a.ts\nb\\u{a}\\u{1b}.ts\n(Found 2 files.)');
    expect(data).toMatchObject({ files: ['a.ts', 'b\n\u001b.ts'], total_files: 2, truncated: false });
  });

  it('in count mode, with the offset to continue if there is more', () => {
    const files = [{ path: 'a.ts', isBinary: false, count: 7, lines: [] }];
    const { text, data } = grepResult(
      { ...whole, files, totalFiles: 4, totalMatches: 20, isTruncated: true, stopped: 'limit' },
      { ...query, outputMode: 'count', offset: 2, limit: 1 },
    );
    expect(text).toBe(
      [
        'a.ts:7',
        '(Found at least 20 matching lines in 4 files; not all shown. Continue with offset: 3, or narrow the search.)',
        '(The search stopped at its limit; totals cover only what was seen so far.)',
      ].join('\n'),
    );
    expect(data).toMatchObject({
      counts: [{ file: 'a.ts', count: 7 }],
      total_matches: 20,
      truncated: true,
      next_offset: 3,
      stopped: 'limit',
    });
  });

  it('if nothing was found, with what was skipped and what could not be read', () => {
    const skipped = [{ path: 'locked', reason: 'Permission denied' }];
    const { text, data } = grepResult(
      { ...whole, files: [], totalFiles: 0, totalMatches: 0, skipped, totalSkipped: 3 },
      query,
    );
    expect(text).toMatch(
      /^No matches found\. Note: ignored files.*multiline.*\n\(3 could not be read:\)\n {2}locked: /s,
    );
    expect(data).toMatchObject({ matches: [], skipped, total_skipped: 3 });
    const quiet = { ...query, includeIgnored: true, isMultiline: true };
    expect(grepResult({ ...whole, files: [], totalFiles: 0 }, quiet).text).toBe('No matches found.');
    expect(grepResult({ ...whole, files: [], totalFiles: 0 }, { ...quiet, offset: 5 }).text).toBe(
      'No more matches.',
    );
  });
});

describe('Glob returns the same as text and as data', () => {
  it('one path per line, and the total', () => {
    const found: FilesFound = { ...whole, files: ['a', 'b\r'], totalFiles: 9, isTruncated: true };
    const { text, data } = globResult(found, false);
    expect(text).toBe('a\nb\\u{d}\n(2 of 9 files shown. Use a narrower pattern or path, or a higher limit.)');
    expect(data).toEqual({ files: ['a', 'b\r'], total_files: 9, truncated: true });
  });

  it('for no files, with a note about ignored ones', () => {
    expect(globResult({ ...whole, files: [], totalFiles: 0 }, false).text).toContain('include_ignored');
    expect(globResult({ ...whole, files: [], totalFiles: 0 }, true).text).toBe('No files found.');
  });

  it('for a timeout', () => {
    const found: FilesFound = { ...whole, files: ['a'], totalFiles: 1, isTruncated: true, stopped: 'time' };
    expect(globResult(found, false)).toMatchObject({
      text: expect.stringContaining('of at least 1 files'),
      data: { stopped: 'time' },
    });
  });
});
