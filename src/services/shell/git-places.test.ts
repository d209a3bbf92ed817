import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLinkReader } from './git-links.js';
import { findGitPlaces } from './git-places.js';
import { findNestedTrees } from './nested-trees.js';

const names = ['hooks/', 'config', 'config.worktree', 'commondir', 'gitdir', 'objects/info/alternates'];

describe('the places that git acts on', () => {
  let root: string;
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  const short = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1)).sort();
  const find = () => {
    const walk = { grounds: [root], workTrees: [root], gitFolders: [], names, readLinks: createLinkReader() };
    const { paths, watched, never } = findGitPlaces(walk);
    return { paths: short(paths), watched: short(watched), never: short(never) };
  };
  const make = (path: string, content = '') => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-places-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are a missing .git that may come to be', () => {
    expect(find()).toEqual({ paths: [], watched: ['.git'], never: [] });
  });

  it('are those of the table in each submodule, and what a worktree has of its own', () => {
    git('init', '-q');
    make('.git/modules/libs/lib/HEAD');
    make('.git/modules/libs/lib/modules/inner/HEAD');
    make('.git/worktrees/w/commondir', '../..\n');
    const { paths, watched, never } = find();
    const folders = ['.git', '.git/modules/libs/lib', '.git/modules/libs/lib/modules/inner'];
    const ofWorktree = ['commondir', 'config.worktree', 'gitdir'].map((name) => `.git/worktrees/w/${name}`);
    expect(paths).toEqual(
      [...folders.flatMap((folder) => names.map((name) => `${folder}/${name}`)), ...ofWorktree].sort(),
    );
    expect(watched).toEqual([]);
    expect(never).toEqual(folders.map((folder) => `${folder}/commondir`));
  });

  it('are what the index has links to, as far as it leads, and nothing outside', () => {
    git('init', '-q');
    const commit = '1'.repeat(40);
    for (const path of ['sub', 'gone', 'linked'])
      git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
    make('sub/.git', 'gitdir: ../hidden\n');
    make('hidden/HEAD');
    mkdirSync(join(root, 'linked'));
    symlinkSync('/etc', join(root, 'linked', '.git'));
    const { paths, watched } = find();
    expect(paths).toContain('sub/.git');
    expect(paths).toContain('hidden/config');
    expect(watched).toEqual(['gone/.git', 'linked/.git']);
  });

  it('are whole folders when there are too many, and an index that cannot be read', () => {
    git('init', '-q');
    for (let number = 0; number < 33; number += 1) make(`.git/modules/m${String(number)}/HEAD`);
    make('.git/index', 'DIRC and no more');
    const { paths, watched } = find();
    expect(paths).toContain('.git/modules');
    expect(watched).toEqual(['.git/index']);
  });

  it('are not waited for, whatever stands there', () => {
    git('init', '-q');
    for (const path of ['.git/commondir', '.git/index'])
      execFileSync('mkfifo', [join(root, path)], { stdio: 'ignore' });
    expect(find().watched).toEqual(['.git/index']);
  });

  it('are also in repositories that lie inside, the nearest first', () => {
    for (const path of ['deep/er/two', 'one', 'node_modules/no', 'a/b/c/d/too-deep'])
      mkdirSync(join(root, path, '.git'), { recursive: true });
    make('file/.git', 'gitdir: x');
    make('.git/inner/.git');
    expect(findNestedTrees(root).map((path) => path.slice(root.length + 1))).toEqual([
      'file',
      'one',
      'deep/er/two',
    ]);
  });
});
