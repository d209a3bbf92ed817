import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLinkReader } from './git-links.js';
import { findGitPlaces } from './git-places.js';
import { findNestedTrees } from './nested-trees.js';

const names = ['hooks/', 'config', 'config.worktree', 'commondir', 'gitdir', 'objects/info/alternates'];

describe('the paths that git acts on', () => {
  let root: string;
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  const short = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1)).sort();
  const find = () => {
    const walk = {
      grounds: [root],
      workTrees: [root],
      gitFolders: [],
      names,
      globalConfigs: [],
      readLinks: createLinkReader(),
    };
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

  it('[15.34] are whole work trees after the first 64, and too many after 512', () => {
    git('init', '-q');
    const overfull = () =>
      findGitPlaces({
        grounds: [root],
        workTrees: [root],
        gitFolders: [],
        names,
        globalConfigs: [],
        readLinks: createLinkReader(),
      }).isOverfull;
    const addLinks = (from: number, to: number) => {
      const all = Array.from(
        { length: to - from },
        (_, index) => `sub${String(from + index).padStart(3, '0')}`,
      );
      for (const name of all) make(`${name}/.git/HEAD`, 'ref: refs/heads/main\n');
      const lines = all.map((name) => `160000 ${'1'.repeat(40)}\t${name}\n`).join('');
      execFileSync('git', ['update-index', '--index-info'], { cwd: root, input: lines });
    };
    addLinks(0, 63);
    expect(find().paths).not.toContain('sub062');
    addLinks(63, 511);
    expect(find().paths).toContain('sub063');
    expect(find().paths).toContain('sub510');
    expect(overfull()).toBe(false);
    addLinks(511, 512);
    expect(overfull()).toBe(true);
  });

  it('include a missing .git that may be created', () => {
    expect(find()).toEqual({ paths: [], watched: ['.git'], never: [] });
  });

  it('include those of each submodule, and those of a worktree', () => {
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
    const missing = folders.flatMap((folder) => [`${folder}/commondir`, `${folder}/config.worktree`]);
    expect(never).toEqual([...missing, '.git/worktrees/w/config.worktree']);
  });

  it('include the repositories that the index links to, recursively, and nothing outside', () => {
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

  it('are whole folders if there are too many, and include an unreadable index, which is locked', () => {
    git('init', '-q');
    for (let number = 0; number < 33; number += 1) make(`.git/modules/m${String(number)}/HEAD`);
    make('.git/index', 'DIRC and no more');
    const { paths, watched } = find();
    expect(paths).toContain('.git/modules');
    expect(paths).toContain('.git/index');
    expect(watched).toEqual(['.git/index']);
  });

  it('include the whole folder of submodules if it contains too many to check', () => {
    git('init', '-q');
    for (let number = 0; number < 1001; number += 1)
      mkdirSync(join(root, `.git/modules/a${String(number % 40)}/b${String(number)}`), { recursive: true });
    expect(find().paths).toContain('.git/modules');
  });

  it('are not searched in endless configurations', () => {
    git('init', '-q');
    const includes = Array.from({ length: 60 }, (_none, number) => `\tpath = ../inc${String(number)}\n`);
    for (const [number] of includes.entries()) make(`inc${String(number)}`, '#\n'.repeat(10_000));
    make('.git/config', `[include]\n${includes.join('')}`);
    expect(find().paths).toContain('inc59');
    for (const [number] of includes.entries()) make(`inc${String(number)}`, '#\n'.repeat(20_000));
    expect(find).toThrow('too large to check');
    make('.git/config', `[alias]\n${'\tx = !a b c d e f g h i j\n'.repeat(2100)}`);
    expect(find).toThrow('too large to check');
  });

  it('do not block on pipes or devices', () => {
    git('init', '-q');
    for (const path of ['.git/commondir', '.git/index'])
      execFileSync('mkfifo', [join(root, path)], { stdio: 'ignore' });
    expect(find().watched).toEqual(['.git/index']);
  });

  it('include repositories in subfolders, nearest first', () => {
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
