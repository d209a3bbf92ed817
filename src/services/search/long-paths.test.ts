import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LongPath, makeLongPath } from '../../../test/support/long-path.js';
import { openSearchPlace, type SearchPlace } from '../../../test/support/search-place.js';
import type { FileQuery, TextQuery } from '../../ports/search.js';

const { signal } = new AbortController();
const files: FileQuery = { pattern: '**/*.txt', order: 'name', limit: 100, includeIgnored: false };
const text: TextQuery = {
  pattern: 'needle',
  isLiteral: false,
  ignoresCase: false,
  isMultiline: false,
  mode: 'lines',
  before: 0,
  after: 0,
  offset: 0,
  limit: 100,
  includeIgnored: false,
};

/** The system opens paths of up to 4095 bytes; those that we open are some bytes longer than those of ripgrep. */
const edges = [4072, 4078, 4080, 4088, 4093, 4097];
const clocks = [
  { folders: 'that just changed', now: () => Date.now() },
  { folders: 'that changed long ago', now: () => Date.now() + 60_000 },
];

describe.each(clocks)('in folders $folders', ({ now }) => {
  let place: SearchPlace;
  let long: LongPath | undefined;
  beforeEach(async () => {
    place = await openSearchPlace({ now });
    place.write({ 'top.txt': 'needle\n' });
  });
  afterEach(async () => {
    long?.remove();
    long = undefined;
    await place.close();
  });

  const searches = (): Promise<readonly Answer[]> =>
    Promise.all([
      place.search.findFiles(files, signal),
      place.search.findFiles({ ...files, order: 'newest' }, signal),
      place.search.findText(text, signal),
    ]);

  it('finds or reports a file, however long its path is', async () => {
    for (const bytes of edges) {
      long = makeLongPath(place.root, bytes, 99);
      for (const answer of await searches()) {
        expect({ bytes, told: answer.files.length + answer.totalSkipped }).toEqual({ bytes, told: 2 });
        expect(answer.totalFiles).toBe(answer.files.length);
        expect(answer.skipped).toHaveLength(answer.totalSkipped);
      }
      long.remove();
      long = undefined;
    }
  });

  it.each([15, 198])('reports paths too deep for the system to open, with names of %d', async (name) => {
    long = makeLongPath(place.root, 5000, name);
    for (const answer of await searches()) {
      expect(answer.files).toHaveLength(1);
      expect(answer).toMatchObject({ totalFiles: 1, totalSkipped: 1 });
      expect(answer.skipped).toEqual([
        { path: expect.stringMatching(/^d+/), reason: expect.stringContaining('too long') },
      ]);
    }
  });
});

interface Answer {
  readonly files: readonly unknown[];
  readonly totalFiles: number;
  readonly skipped: readonly unknown[];
  readonly totalSkipped: number;
}
