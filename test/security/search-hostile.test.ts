import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { findMarked, forgetPeak, hasProc, memoryOf } from '../support/proc.js';
import {
  openSearchPlace,
  type SearchAnswer,
  type SearchPlace,
  type SearchTool,
} from '../support/search-place.js';

const megabyte = 1024 * 1024;
/** What a search may add to the memory of the gate, whatever it meets. */
const maxGrowth = 64 * megabyte;

let place: SearchPlace;
beforeEach(async () => {
  place = await openSearchPlace();
  place.write({ 'first.txt': 'needle\n', 'zz/last.txt': 'needle\n' });
});
afterEach(() => place.close());

interface Answered {
  readonly text: string;
  readonly data: {
    readonly files?: readonly string[];
    readonly matches: readonly {
      readonly file: string;
      readonly line: number;
      readonly text: string;
      readonly cut?: true;
    }[];
    readonly counts: readonly { readonly file: string; readonly count: number }[];
    readonly skipped?: readonly { readonly path: string; readonly reason: string }[];
    readonly total_files: number;
    readonly total_matches: number;
    readonly truncated: boolean;
    readonly stopped?: string;
  };
}

async function ask(tool: SearchTool, input: Readonly<Record<string, unknown>>): Promise<Answered> {
  const answer: SearchAnswer = await place.call(tool, input);
  if (!('text' in answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer as unknown as Answered;
}

/** Says how long it took and how much memory it needed at its peak, and fails if that is too much. */
async function bounded<T>(what: string, work: () => Promise<T>): Promise<T> {
  // What others left behind is no part of it.
  globalThis.gc?.();
  forgetPeak(process.pid);
  const before = memoryOf(process.pid).now;
  const started = performance.now();
  const result = await work();
  const growth = memoryOf(process.pid).peak - before;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${what}: ${seconds} s, memory +${(growth / megabyte).toFixed(0)} MB`);
  expect(growth).toBeLessThan(maxGrowth);
  return result;
}

describe('files that are not text files', () => {
  it('a pipe, a socket and a link to a device are skipped', async () => {
    execFileSync('mkfifo', [join(place.root, 'pipe')]);
    const server = createServer().listen(join(place.root, 'socket'));
    symlinkSync('/dev/zero', join(place.root, 'zero'));
    symlinkSync('pipe', join(place.root, 'to-pipe'));
    expect((await ask('Grep', { pattern: 'needle' })).data.files).toEqual(['first.txt', 'zz/last.txt']);
    expect((await ask('Glob', { pattern: '*', sort: 'name' })).data.files).toEqual([
      'first.txt',
      'zz/last.txt',
    ]);
    for (const path of ['pipe', 'socket', 'to-pipe']) {
      expect(await place.call('Grep', { pattern: 'x', path })).toMatchObject({ reason: 'wrong_kind' });
    }
    expect(await place.call('Grep', { pattern: 'x', path: 'zero' })).toMatchObject({
      reason: 'outside_workspace',
    });
    server.close();
  });

  it.runIf(hasProc)('a sparse file of many gigabytes is handled', async () => {
    const file = openSync(join(place.root, 'sparse'), 'w');
    ftruncateSync(file, count(10) * 1024 * megabyte);
    closeSync(file);
    const found = await bounded('sparse, in its folder', () => ask('Grep', { pattern: 'needle' }));
    expect(found.data.files).toEqual(['first.txt', 'zz/last.txt']);
    const named = await bounded('sparse, by name', () => ask('Grep', { pattern: 'needle', path: 'sparse' }));
    expect(named.data).toMatchObject({
      files: [],
      skipped: [{ path: 'sparse', reason: 'a large binary file' }],
    });
  });

  it.runIf(hasProc)('a line without an end is cut, and the other files are found', async () => {
    const file = openSync(join(place.root, 'endless'), 'w');
    writeSync(file, 'needle');
    const chunk = 'x'.repeat(megabyte);
    for (let size = 0; size < count(1024); size += 1) writeSync(file, chunk);
    writeSync(file, 'needle');
    closeSync(file);
    const found = await bounded('endless line, in its folder', () =>
      ask('Grep', { pattern: 'needle', output_mode: 'content' }),
    );
    expect(found.data.matches.map((match) => match.file)).toEqual(['endless', 'first.txt', 'zz/last.txt']);
    expect(found.data.matches[0]).toMatchObject({ line: 1, cut: true, text: `needle${'x'.repeat(494)}` });
    const named = await bounded('endless line, by name', () =>
      ask('Grep', { pattern: 'needle', output_mode: 'count', path: 'endless' }),
    );
    expect(named.data.counts).toEqual([{ file: 'endless', count: 1 }]);
  });

  it.runIf(hasProc)('endless characters are cut', async () => {
    writeFileSync(join(place.root, 'zalgo'), `needle e${'\u0301'.repeat(count(100) * 100_000)}\n`);
    const found = await bounded('one character of megabytes', () =>
      ask('Grep', { pattern: 'needle', output_mode: 'content' }),
    );
    expect(found.data.matches).toHaveLength(3);
    expect(Math.max(...found.data.matches.map(({ text }) => text.length))).toBeLessThan(5000);
  });
});

describe.runIf(hasProc)('very many', () => {
  it('files in one folder are listed and searched, with little memory', async () => {
    const entries = count(1_000_000);
    mkdirSync(join(place.root, 'many'));
    for (let at = 0; at < entries; at += 1) closeSync(openSync(join(place.root, 'many', `f${at}`), 'w'));
    writeFileSync(join(place.root, 'many', 'f7'), 'needle\n');
    const tomorrow = Date.now() / 1000 + 86_400;
    utimesSync(join(place.root, 'many', 'f7'), tomorrow, tomorrow);
    for (const sort of ['newest', 'name']) {
      const all = await bounded(`Glob ${sort}, ${entries} entries`, () =>
        ask('Glob', { pattern: 'many/*', sort }),
      );
      expect(all.data).toMatchObject({ total_files: entries, truncated: true });
      expect(all.data.files).toHaveLength(100);
      expect(all.data.files?.[0]).toBe(sort === 'newest' ? 'many/f7' : 'many/f0');
    }
    const one = await bounded('Glob for one of them', () => ask('Glob', { pattern: '**/f77' }));
    expect(one.data.files).toEqual(['many/f77']);
    const found = await bounded('Grep in them', () => ask('Grep', { pattern: 'needle' }));
    expect(found.data.files).toEqual(['first.txt', 'many/f7', 'zz/last.txt']);
  });

  it('matches are counted, and only the first are returned', async () => {
    const lines = count(10_000_000);
    const file = openSync(join(place.root, 'huge'), 'w');
    const thousand = 'needle and more\n'.repeat(1000);
    for (let at = 0; at < lines; at += 1000) writeSync(file, thousand);
    closeSync(file);
    for (const path of [undefined, 'huge']) {
      const content = await bounded(`content, ${lines} matches`, () =>
        ask('Grep', { pattern: 'needle', output_mode: 'content', ...(path !== undefined && { path }) }),
      );
      expect(content.data.matches).toHaveLength(250);
      expect(content.data.truncated).toBe(true);
      const counts = await bounded(`count, ${lines} matches`, () =>
        ask('Grep', { pattern: 'needle', output_mode: 'count', ...(path !== undefined && { path }) }),
      );
      expect(counts.data.counts).toContainEqual({ file: 'huge', count: lines });
    }
    const last = await bounded('the last page that can be asked for', () =>
      ask('Grep', { pattern: 'needle', output_mode: 'content', offset: 10_000, head_limit: 1000 }),
    );
    expect(last.data.matches).toHaveLength(1000);
    expect(last.data.matches.at(-1)).toMatchObject({ file: 'huge', line: 10_999 });
  });

  it('nested folders are searched as deep as the system allows, and the rest is reported', async () => {
    // Deeper than a path can be long, so made from the bottom up.
    const name = 'd'.repeat(200);
    mkdirSync(join(place.root, 'deep'));
    writeFileSync(join(place.root, 'deep', 'bottom'), 'needle\n');
    for (let depth = 0; depth < 40; depth += 1) {
      mkdirSync(join(place.root, 'above', name), { recursive: true });
      renameSync(join(place.root, 'deep'), join(place.root, 'above', name, 'deep'));
      renameSync(join(place.root, 'above'), join(place.root, 'deep'));
    }
    const found = await ask('Grep', { pattern: 'needle' });
    expect(found.data.files).toEqual(['first.txt', 'zz/last.txt']);
    expect(found.text).toMatch(/could not be read/);
    spawnSync('rm', ['-rf', join(place.root, 'deep')]);
  });

  it('concurrent searches all finish', async () => {
    const answers = await bounded('60 searches at once', () =>
      Promise.all(Array.from({ length: 60 }, () => ask('Grep', { pattern: 'needle' }))),
    );
    expect(answers.every(({ data }) => data.files?.length === 2)).toBe(true);
  });
});

describe('unusual names', () => {
  const odd = [
    'new\nline',
    'esc\u001b[31mred',
    'rtl\u202ename',
    'tab\tname',
    'quote"name',
    'back\\slash',
    ' space ',
    ':1:colon',
    'e\u0301',
  ];

  it('are returned exactly in the data, and escaped in the text', async () => {
    for (const name of odd) writeFileSync(join(place.root, name), 'needle\n');
    writeFileSync(
      Buffer.concat([Buffer.from(join(place.root, 'bad')), Buffer.from([0xff, 0xfe])]),
      'needle\n',
    );
    writeFileSync(
      join(place.root, 'x: binary file matches (found "\\0" byte around offset 1)\ny'),
      'needle\n',
    );
    const answers = [
      await ask('Grep', { pattern: 'needle' }),
      await ask('Grep', { pattern: 'needle', output_mode: 'content' }),
      await ask('Glob', { pattern: '**', sort: 'name' }),
    ];
    for (const { data, text } of answers) {
      const names = data.files ?? data.matches.map(({ file }) => file);
      for (const name of odd) expect(names).toContain(name);
      expect(names).toContain('bad\ufffd\ufffd');
      expect(names).toHaveLength(odd.length + 4);
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
      expect(text.split('\n').length).toBeLessThanOrEqual(odd.length + 5);
    }
    for (const path of odd) {
      expect((await ask('Grep', { pattern: 'needle', path })).data.files).toEqual([path]);
      expect((await ask('Glob', { pattern: path.replace(/[\\[]/g, '\\$&') })).data.files).toEqual([path]);
    }
  });
});

const nobody = 65_534;

describe.runIf(hasProc && process.getuid?.() === 0)('for a user who is not root', () => {
  /** The rights of the whole process, and of all that it starts, while it works. */
  async function asNobody<T>(work: () => Promise<T>): Promise<T> {
    process.seteuid?.(nobody);
    try {
      return await work();
    } finally {
      process.seteuid?.(0);
    }
  }

  it.each([
    ['once', () => Date.now() + 60_000],
    ['twice', () => Date.now()],
  ])('unreadable files are reported, and the rest is searched (%s)', async (_times, now) => {
    await place.close();
    place = await openSearchPlace({ now });
    place.write({ 'first.txt': 'needle\n', 'zz/last.txt': 'needle\n' });
    place.write({ 'locked/file': 'needle\n', 'locked.txt': 'needle\n', 'open/file': 'needle\n' });
    for (const folder of [place.base, join(place.base, 'deep'), join(place.base, 'deep', 'er')])
      chmodSync(folder, 0o755);
    for (const name of ['locked', 'locked.txt']) chmodSync(join(place.root, name), 0);
    for (const output_mode of ['files_with_matches', 'content', 'count']) {
      const found = await asNobody(() => ask('Grep', { pattern: 'needle', output_mode }));
      expect(found.data.total_files).toBe(3);
      expect([...(found.data.skipped ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
        { path: 'locked', reason: 'Permission denied' },
        { path: 'locked.txt', reason: 'Permission denied' },
      ]);
      expect(found.text).toContain('(2 could not be read:)');
    }
    const listed = await asNobody(() => ask('Glob', { pattern: '**', sort: 'name' }));
    expect(listed.data.files).toEqual(['first.txt', 'locked.txt', 'open/file', 'zz/last.txt']);
    expect(listed.data.skipped).toEqual([{ path: 'locked', reason: 'Permission denied' }]);
    for (const path of ['locked', 'locked.txt', 'locked/file']) {
      const named = await asNobody(() => place.call('Grep', { pattern: 'needle', path }));
      expect(named).toMatchObject({ code: 'refused', reason: 'no_permission' });
    }
  });
});

describe.runIf(hasProc)('a search that takes too long', () => {
  const lines = 'a needle among many words that are not one\n'.repeat(20_000);
  const slow = { pattern: '(?:\\b\\w+\\b\\s*){3,9}[^\\x00-\\x7f]|one', output_mode: 'count' };

  it('ends at its time limit with partial results, and leaves no process', async () => {
    await place.close();
    place = await openSearchPlace({ limits: { timeMs: 100 } });
    place.write(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, lines])));
    const found = await ask('Grep', slow);
    expect(found.data).toMatchObject({ stopped: 'time', truncated: true });
    expect(found.text).toContain('ran out of time');
    await untilGone(slow.pattern);
  });

  it('ends when its caller disconnects, and leaves no process', async () => {
    place.write(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, lines])));
    const leaving = new AbortController();
    const search = place.call('Grep', slow, leaving.signal);
    await expect
      .poll(() => findMarked(slow.pattern).length, { timeout: 10_000, interval: 5 })
      .toBeGreaterThan(0);
    leaving.abort(new Error('enough'));
    await expect(search).rejects.toThrow('enough');
    await untilGone(slow.pattern);
  });

  it('does not happen with a pattern that makes others backtrack', async () => {
    place.write({ as: `${'a'.repeat(100_000)}\n` });
    const found = await bounded('(a*)*b', () => ask('Grep', { pattern: '^(a*)*b$', output_mode: 'count' }));
    expect(found.data.total_files).toBe(0);
    expect(await place.call('Grep', { pattern: 'x{1000}{1000}{1000}' })).toMatchObject({
      reason: 'invalid_pattern',
    });
  });

  async function untilGone(mark: string): Promise<void> {
    await expect.poll(() => findMarked(mark), { timeout: 5000 }).toEqual([]);
  }
});

it.runIf(hasProc)('control: this suite detects unbounded memory', async () => {
  const file = join(place.root, 'large');
  const handle = openSync(file, 'w');
  for (let size = 0; size < 128; size += 1) writeSync(handle, 'x'.repeat(megabyte));
  fsyncSync(handle);
  closeSync(handle);
  const careless = bounded(
    'control',
    async () => execFileSync('cat', [file], { maxBuffer: Infinity }).length,
  );
  await expect(careless).rejects.toThrow();
  rmSync(file);
});
