import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isHarmlessConfig } from './harmless-config.js';

describe('a git configuration', () => {
  let tree: string;
  const file = () => join(tree, '.git', 'config');
  const isHarmless = () => isHarmlessConfig(file(), join(tree, '.git'), tree);
  beforeEach(() => {
    tree = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-harmless-')));
    mkdirSync(join(tree, '.git'));
  });
  afterEach(() => rmSync(tree, { recursive: true, force: true }));

  it('is harmless as git writes it: after init, and with a remote, a branch and a name', () => {
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: tree, stdio: 'pipe' });
    expect(isHarmless()).toBe(true);
    git('init', '-q');
    git('remote', 'add', 'origin', 'git@example.com:a/b.git');
    git('config', 'branch.feature/x#1.remote', 'origin');
    git('config', 'branch.feature/x#1.merge', 'refs/heads/feature/x');
    git('config', 'user.name', "Jörg O'Neill");
    git('config', 'submodule.libs/lib.url', 'https://example.com/lib.git');
    git('config', 'core.worktree', '..');
    expect(isHarmless()).toBe(true);
  });

  it.each([
    '[core]\n\tfsmonitor = x\n',
    '[core]\n\tfsmonitor\n',
    '[x][core]fsmonitor = x\n',
    '[core] fsmonitor = x\n',
    '[core]\n# note \\\n\tfsmonitor = x\n',
    '[core]\n\tbare = false \\\n\n',
    '[core]\n\tbare = "false"\n',
    '[core]\r\n\tbare = false\r\n',
    '[core]\n\v\tbare = false\n',
    '\uFEFF[core]\n',
    '[core]\n\tworktree = ../../other\n',
    '[include]\n\tpath = x\n',
    '[remote.origin]\n\turl = x\n',
    '[remote "origin"]\n\turl = ext::sh\n',
    '[remote "origin"]\n\tuploadpack = x\n',
    '[submodule "x"]\n\tupdate = !x\n',
    '[core]\n\tunknown = x\n',
    'bare = false\n',
    '[core\n',
    '[constructor]\n\tname = x\n',
    `[core]\n${'\n'.repeat(70_000)}`,
  ])('is not known to be harmless: %j', (text) => {
    writeFileSync(file(), '[core]\n\tbare = false\n');
    expect(isHarmless()).toBe(true);
    writeFileSync(file(), text);
    expect(isHarmless()).toBe(false);
  });

  it.each([
    `[core]\n a = ${' '.repeat(60_000)}"\n`,
    `[core]\n${' '.repeat(60_000)}"\n`,
    `[core]\n a${' '.repeat(60_000)}"\n`,
    `[core]\n${`\tbare = ${' '.repeat(4000)}"\n`.repeat(16)}`,
  ])('[15.34] is read in linear time, however many spaces it has (%#)', (text) => {
    writeFileSync(file(), text);
    const from = performance.now();
    expect(isHarmless()).toBe(false);
    expect(performance.now() - from).toBeLessThan(1000);
  });

  it('is harmless with spaces around names and values', () => {
    writeFileSync(file(), '[core]\n\t bare  =  false  \n\teol =\n');
    expect(isHarmless()).toBe(true);
    writeFileSync(file(), '[core]\n\tbare = false\t\n');
    expect(isHarmless()).toBe(false);
  });

  it('is not known to be harmless if it is not UTF-8, or not a file', () => {
    writeFileSync(file(), Buffer.from('[core]\n\tbare = \xff\n', 'latin1'));
    expect(isHarmless()).toBe(false);
    rmSync(file());
    writeFileSync(join(tree, 'real'), '[core]\n');
    symlinkSync('../real', file());
    expect(isHarmless()).toBe(false);
  });
});
