import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitlinksIn } from './git-index.js';

const someCommit = '1'.repeat(40);

describe('the links in an index', () => {
  let folder: string;
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
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

  it('are found in a repository with longer hashes', () => {
    git('init', '-q', '--object-format=sha256');
    fill();
    addLink('libs/lib', '1'.repeat(64));
    expect(links()).toEqual(['libs/lib']);
  });

  it('are not known of an index that has its entries elsewhere, or is cut, or is none', () => {
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
});
