import { symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLongPath } from '../../../test/support/long-path.js';
import { openSearchPlace, type SearchPlace } from '../../../test/support/search-place.js';
import type { FileQuery, TextQuery } from '../../ports/search.js';
import { openSearch } from './open-search.js';

const { signal } = new AbortController();
const files: FileQuery = { pattern: '**', order: 'name', limit: 100, includeIgnored: false };
const text: TextQuery = {
  pattern: 'needle',
  isLiteral: false,
  ignoresCase: false,
  isMultiline: false,
  mode: 'files',
  before: 0,
  after: 0,
  offset: 0,
  limit: 100,
  includeIgnored: false,
};

let place: SearchPlace;

/** Folders that just changed are looked at twice, others are not: the answers must be the same. */
const clocks = [
  { folders: 'that just changed', now: () => Date.now() },
  { folders: 'that changed long ago', now: () => Date.now() + 60_000 },
];
const find = (query: Partial<FileQuery>) => place.search.findFiles({ ...files, ...query }, signal);
const grep = (query: Partial<TextQuery>) => place.search.findText({ ...text, ...query }, signal);
const pathsOf = async (query: Partial<TextQuery>) => (await grep(query)).files.map(({ path }) => path);
const linesOf = async (query: Partial<TextQuery>) =>
  (await grep({ mode: 'lines', ...query })).files.flatMap(({ path, lines }) =>
    lines.map(({ line, text: words, isMatch }) => `${path}${isMatch ? ':' : '-'}${line}:${words}`),
  );

describe.each(clocks)('in folders $folders', ({ now }) => {
  beforeAll(async () => {
    place = await openSearchPlace({ now });
    place.write({
      '.gitignore': 'ignored/\n*.log\n',
      '.hidden/file.ts': 'needle\n',
      '.git/config': 'needle\n',
      'a/one.ts': 'one needle\ntwo\nthree Needle\n',
      'a/b/two.tsx': 'x\nneedle\ny\nz\nneedle needle\n',
      'a/b/three.js': 'nothing\n',
      'ignored/four.ts': 'needle\n',
      'debug.log': 'needle\n',
      'crlf.txt': 'needle\r\nother\r\n',
      'bom.txt': '\ufeffneedle\n',
      'utf16.txt': Buffer.from('\ufeffneedle\n', 'utf16le'),
      'early.bin': '\0needle\n',
      'long.min.js': `needle${'x'.repeat(5000)}\n`,
      'multi.txt': 'begin\nmiddle\nend\n',
      'a b/with: colon.ts': 'needle\n',
    });
    const when = (name: string, time: number) => utimesSync(join(place.root, name), time, time);
    when('a/one.ts', 3000);
    when('a/b/two.tsx', 5000);
    when('a/b/three.js', 4000);
  });
  afterAll(() => place.close());

  describe('files', () => {
    it('are found by pattern, in path order, without ignored files and .git', async () => {
      expect(await find({ pattern: '*.{ts,tsx}' })).toEqual({
        files: ['.hidden/file.ts', 'a b/with: colon.ts', 'a/b/two.tsx', 'a/one.ts'],
        totalFiles: 4,
        isTruncated: false,
        skipped: [],
        totalSkipped: 0,
      });
      const all = await find({ pattern: '**/*' });
      expect(all.files).not.toContain('.git/config');
      expect(all.files).not.toContain('debug.log');
    });

    it('are sorted newest first on request', async () => {
      const { files: found } = await find({ pattern: 'a/**', order: 'newest' });
      expect(found).toEqual(['a/b/two.tsx', 'a/b/three.js', 'a/one.ts']);
    });

    it('are limited, but counted completely', async () => {
      for (const order of ['newest', 'name'] as const) {
        const found = await find({ pattern: 'a/**', order, limit: 1 });
        expect(found).toMatchObject({ totalFiles: 3, isTruncated: true });
        expect(found.files).toHaveLength(1);
      }
    });

    it('are found in ignored folders on request, or if the pattern or path names the folder', async () => {
      expect((await find({ pattern: '**/four.ts' })).files).toEqual([]);
      expect((await find({ pattern: '**/four.ts', includeIgnored: true })).files).toEqual([
        'ignored/four.ts',
      ]);
      expect((await find({ pattern: 'ignored/*' })).files).toEqual(['ignored/four.ts']);
      expect((await find({ pattern: '*', path: 'ignored' })).files).toEqual(['ignored/four.ts']);
      expect((await find({ pattern: '*.log', includeIgnored: true })).files).toEqual(['debug.log']);
    });

    it('are found by absolute patterns and in folders relative to the root', async () => {
      expect((await find({ pattern: join(place.root, 'a', '*.ts') })).files).toEqual(['a/one.ts']);
      expect((await find({ pattern: '*.ts', path: 'a' })).files).toEqual(['a/one.ts']);
      expect((await find({ pattern: './*.ts', path: join(place.root, 'a') })).files).toEqual(['a/one.ts']);
      expect((await find({ pattern: '../a/one.ts', path: 'a' })).files).toEqual(['a/one.ts']);
    });

    it('of a pattern folder that does not exist are none, but a missing start folder is an error', async () => {
      expect(await find({ pattern: 'no/such/*' })).toMatchObject({ files: [], totalFiles: 0 });
      await expect(find({ path: 'no' })).rejects.toMatchObject({ code: 'not_found' });
      await expect(find({ path: 'a/one.ts' })).rejects.toMatchObject({ code: 'unsupported' });
      await expect(find({ pattern: '../*' })).rejects.toMatchObject({ code: 'refused' });
      await expect(find({ pattern: '/etc/*' })).rejects.toMatchObject({ code: 'refused' });
    });
  });

  describe('text', () => {
    it('is found in files of any encoding', async () => {
      expect(await pathsOf({})).toEqual([
        '.hidden/file.ts',
        'a b/with: colon.ts',
        'a/b/two.tsx',
        'a/one.ts',
        'bom.txt',
        'crlf.txt',
        'long.min.js',
        'utf16.txt',
      ]);
    });

    it('is reported line by line, with context lines', async () => {
      expect(await linesOf({ path: 'a' })).toEqual([
        'a/b/two.tsx:2:needle',
        'a/b/two.tsx:5:needle needle',
        'a/one.ts:1:one needle',
      ]);
      expect(await linesOf({ path: 'a/b/two.tsx', before: 1, after: 1 })).toEqual([
        'a/b/two.tsx-1:x',
        'a/b/two.tsx:2:needle',
        'a/b/two.tsx-3:y',
        'a/b/two.tsx-4:z',
        'a/b/two.tsx:5:needle needle',
      ]);
      expect(await linesOf({ path: 'crlf.txt' })).toEqual(['crlf.txt:1:needle']);
    });

    it('is counted per file', async () => {
      const { files: found, totalMatches } = await grep({ mode: 'counts', path: 'a', ignoresCase: true });
      expect(found.map(({ path, count }) => [path, count])).toEqual([
        ['a/b/two.tsx', 2],
        ['a/one.ts', 2],
      ]);
      expect(totalMatches).toBe(4);
    });

    it('is paged by lines or by files', async () => {
      const all = await linesOf({});
      const pages = await Promise.all([0, 3, 6].map((offset) => linesOf({ offset, limit: 3 })));
      expect(pages.flat()).toEqual(all);
      expect(await grep({ mode: 'lines', limit: 3 })).toMatchObject({
        isTruncated: true,
        totalMatches: 9,
        totalFiles: 8,
      });
      expect(await pathsOf({ offset: 7 })).toEqual(['utf16.txt']);
      expect(await pathsOf({ offset: 8 })).toEqual([]);
    });

    it('is searched in the files selected by glob and type', async () => {
      expect(await pathsOf({ glob: '*.tsx' })).toEqual(['a/b/two.tsx']);
      expect(await pathsOf({ glob: 'a/**' })).toEqual(['a/b/two.tsx', 'a/one.ts']);
      expect(await pathsOf({ glob: 'a/*' })).toEqual(['a/one.ts']);
      expect(await pathsOf({ glob: '*.ts,*.txt,!bom*,!.hidden' })).toEqual([
        'a b/with: colon.ts',
        'a/one.ts',
        'crlf.txt',
        'utf16.txt',
      ]);
      expect(await pathsOf({ glob: '**/*', path: 'a' })).toEqual(['a/b/two.tsx', 'a/one.ts']);
      expect(await pathsOf({ type: 'ts', glob: 'a/**/*.tsx' })).toEqual(['a/b/two.tsx']);
      expect(await pathsOf({ type: 'js' })).toEqual(['long.min.js']);
      expect(await pathsOf({ glob: '*.log' })).toEqual([]);
      expect(await pathsOf({ glob: '*.log', includeIgnored: true })).toEqual(['debug.log']);
    });

    it('is matched literally, case-insensitively or across lines on request', async () => {
      expect(await linesOf({ pattern: 'needle needle', isLiteral: true })).toHaveLength(1);
      expect(await linesOf({ pattern: 'n.edle', isLiteral: true })).toEqual([]);
      expect(await linesOf({ pattern: 'THREE NEEDLE', ignoresCase: true })).toEqual([
        'a/one.ts:3:three Needle',
      ]);
      expect(await linesOf({ pattern: 'begin.*end', isMultiline: true })).toEqual([
        'multi.txt:1:begin',
        'multi.txt:2:middle',
        'multi.txt:3:end',
      ]);
    });

    it('of very long lines is cut, with a note', async () => {
      const [file] = (await grep({ mode: 'lines', path: 'long.min.js' })).files;
      expect(file?.lines).toEqual([
        { line: 1, text: `needle${'x'.repeat(494)}`, isMatch: true, isCut: true },
      ]);
    });

    it('of a binary file is not shown, but the file is named', async () => {
      const { files: found } = await grep({ mode: 'lines', path: 'early.bin' });
      expect(found).toEqual([{ path: 'early.bin', isBinary: true, lines: [] }]);
      expect(await pathsOf({ glob: '*.bin' })).toEqual([]);
    });

    it('is refused with the reason if the pattern, glob or type is invalid', async () => {
      const refused = (query: Partial<TextQuery>) => expect(grep(query)).rejects;
      await refused({ pattern: 'a(' }).toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('unclosed group'),
        facts: { reason: 'invalid_pattern' },
      });
      await refused({ pattern: 'a\nb' }).toMatchObject({
        facts: { reason: 'invalid_pattern', suggestion: 'Set multiline to true to match across lines.' },
      });
      await refused({ pattern: '(?=x)' }).toMatchObject({
        message: expect.not.stringContaining('--pcre2'),
        facts: { suggestion: expect.stringContaining('lookaround') },
      });
      await refused({ glob: '[' }).toMatchObject({ facts: { reason: 'invalid_glob' } });
      await refused({ glob: '![' }).toMatchObject({ facts: { reason: 'invalid_glob' } });
      await refused({ type: 'tsx' }).toMatchObject({
        message: expect.stringMatching(/^Unknown file type "tsx"\. Similar types: ts, /),
        facts: { reason: 'unknown_type' },
      });
    });
  });

  it('links are never followed', async () => {
    symlinkSync('../a', join(place.root, 'a', 'again'));
    symlinkSync(join(place.outside, 'folder'), join(place.root, 'a', 'out'));
    symlinkSync('one.ts', join(place.root, 'a', 'same.ts'));
    expect((await find({ pattern: 'a/**' })).files).toEqual(['a/b/three.js', 'a/b/two.tsx', 'a/one.ts']);
    expect(await pathsOf({ path: 'a' })).toEqual(['a/b/two.tsx', 'a/one.ts']);
    expect(await pathsOf({ path: 'a/again/b' })).toEqual(['a/b/two.tsx']);
  });

  /** Root can read files without permission, so test/wire/unreadable.test.ts drops that right. */
  it('unreadable files are reported and stop nothing, even for root', async () => {
    const long = makeLongPath(place.root, 4500, 200);
    try {
      const found = await grep({});
      expect(found).toMatchObject({
        skipped: [{ reason: expect.stringContaining('too long') }],
        totalSkipped: 1,
      });
      expect(found.files.length).toBeGreaterThan(5);
    } finally {
      long.remove();
    }
  });
});

it('cancelling ends the search', async () => {
  const other = await openSearchPlace();
  const leaving = new AbortController();
  const search = other.search.findText({ ...text, mode: 'counts' }, leaving.signal);
  leaving.abort(new Error('enough'));
  await expect(search).rejects.toThrow('enough');
  await expect(other.search.findFiles(files, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  await other.close();
});

it('reports that it is unavailable without ripgrep, and what to do', async () => {
  const lines: string[] = [];
  const processes = { start: () => Promise.reject(new Error('not asked')), close: () => Promise.resolve() };
  const locate = () => Promise.reject(new Error('no package for this platform'));
  const service = openSearch({ roots: ['/'], processes, env: {}, locate, log: (line) => lines.push(line) });
  expect(await service.readiness()).toMatchObject({
    state: 'unavailable',
    suggestion: expect.stringContaining('optional dependencies'),
  });
  expect(lines).toEqual([expect.stringContaining('no package for this platform')]);
  await service.close();
});
