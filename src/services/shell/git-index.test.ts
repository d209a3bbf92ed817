import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitlinksIn } from './git-index.js';

const someCommit = '1'.repeat(40);

const headBytes = 12;

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function entry(
  name: string | Buffer,
  { mode = 0o100644, length }: { readonly mode?: number; readonly length?: number } = {},
): Buffer {
  const bytes = Buffer.from(name);
  const head = Buffer.alloc(62);
  head.writeUInt32BE(mode, 24);
  head.writeUInt16BE(Math.min(length ?? bytes.length, 0xfff), 60);
  return Buffer.concat([head, bytes, Buffer.alloc(8 - ((62 + bytes.length) % 8))]);
}

function extension(name: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), words(data.length), data]);
}

function indexOf(entries: readonly Buffer[], extensions: readonly Buffer[] = []): Buffer {
  return Buffer.concat([
    ...[Buffer.from('DIRC'), words(2, entries.length)],
    ...[...entries, ...extensions, Buffer.alloc(20)],
  ]);
}

describe('the links in an index', () => {
  let folder: string;
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: folder, stdio: 'pipe', input: '' });
  const links = () => gitlinksIn(readFileSync(join(folder, '.git', 'index')));
  const addLink = (path: string, commit = someCommit) =>
    git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);

  function fill(): void {
    for (const name of ['a.txt', 'libs/inner.txt', 'libs/zz/deep/file-with-a-long-name', 'ü.txt']) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), name);
    }
    git('add', '.');
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-index-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['2', '3', '4'])('are found in version %s', (version) => {
    git('init', '-q');
    fill();
    git('update-index', '--index-version', version);
    expect(links()).toEqual([]);
    addLink('libs/lib');
    addLink('libs/lib-of-löwe');
    addLink('zoo');
    if (version === '3') git('update-index', '--skip-worktree', 'zoo', 'a.txt');
    expect(links()).toEqual(['libs/lib', 'libs/lib-of-löwe', 'zoo']);
  });

  it('are found in a repository with SHA-256 hashes', () => {
    git('init', '-q', '--object-format=sha256');
    fill();
    addLink('libs/lib', '1'.repeat(64));
    expect(links()).toEqual(['libs/lib']);
  });

  it('are unknown if the index is split, truncated or invalid', () => {
    git('init', '-q');
    fill();
    addLink('libs/lib');
    const whole = readFileSync(join(folder, '.git', 'index'));
    for (const length of [0, 3, 12, 40, 100, whole.length - 1])
      expect(gitlinksIn(whole.subarray(0, length)), String(length)).toBeUndefined();
    expect(gitlinksIn(Buffer.alloc(200))).toBeUndefined();
    git('update-index', '--split-index');
    expect(links()).toBeUndefined();
  });

  it('are those that git sees, regardless of other mode bits', () => {
    const links = [entry('one', { mode: 0o160755 }), entry('two', { mode: 0xff000000 + 0o160000 })];
    expect(gitlinksIn(indexOf(links))).toEqual(['one', 'two']);
  });

  it('are unknown if git may read other entries than we do', () => {
    const plain = [entry('a'), entry('b', { mode: 0o160000 })];
    expect(gitlinksIn(indexOf(plain))).toEqual(['b']);
    const [first = Buffer.alloc(0)] = plain;
    const odd: Readonly<Record<string, Buffer>> = {
      'another length of a name': indexOf([entry('a', { length: 2 })]),
      'a folder': indexOf([entry('d/', { mode: 0o040000 })]),
      'no name': indexOf([entry('')]),
      'an extension that git must know': indexOf(plain, [extension('sdir', Buffer.alloc(0))]),
      'a table of other blocks': indexOf(plain, [extension('IEOT', words(1, 12, 1, 84, 1))]),
      'a table of fewer entries': indexOf(plain, [extension('IEOT', words(1, 12, 1))]),
      'extensions elsewhere': indexOf(plain, [
        extension('EOIE', Buffer.concat([words(headBytes + first.length), Buffer.alloc(20)])),
      ]),
    };
    for (const [name, index] of Object.entries(odd)) expect(gitlinksIn(index), name).toBeUndefined();
    const [one = 0, two = 0] = plain.map(({ length }) => length);
    const right = [
      extension('IEOT', words(1, headBytes, 1, headBytes + one, 1)),
      extension('EOIE', Buffer.concat([words(headBytes + one + two), Buffer.alloc(20)])),
    ];
    expect(gitlinksIn(indexOf(plain, right))).toEqual(['b']);
  });

  it('are unknown if a name is not UTF-8 or too long, or if there are too many', () => {
    const link = { mode: 0o160000 };
    expect(gitlinksIn(indexOf([entry(Buffer.from([0x73, 0xff]), link)]))).toBeUndefined();
    expect(gitlinksIn(indexOf([entry('n'.repeat(4096), link)]))).toEqual(['n'.repeat(4096)]);
    expect(gitlinksIn(indexOf([entry('n'.repeat(4097), link)]))).toBeUndefined();
    const many = Array.from({ length: 601 }, (_none, number) => entry(`s${String(number)}`, link));
    expect(gitlinksIn(indexOf(many.slice(1)))).toHaveLength(600);
    expect(gitlinksIn(indexOf(many))).toBeUndefined();
  });

  it('are read with the block table that git writes for many entries', () => {
    git('init', '-q');
    const blob = git('hash-object', '-w', '--stdin').toString().trim();
    const names = Array.from({ length: 25_000 }, (_none, number) => `f${String(number)}`);
    const lines = names.map((name) => `100644 ${blob}\t${name}\n`).join('');
    for (const version of ['2', '4']) {
      git('config', 'index.threads', '2');
      execFileSync('git', ['update-index', '--index-version', version, '--index-info'], {
        cwd: folder,
        input: `${lines}160000 ${someCommit}\tsub\n`,
      });
      expect(readFileSync(join(folder, '.git', 'index')).includes('IEOT')).toBe(true);
      expect(links()).toEqual(['sub']);
    }
  });
});
