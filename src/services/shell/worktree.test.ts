import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryOf } from './worktree.js';

describe('the repository of a worktree', () => {
  let base: string;
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: join(base, 'main'), stdio: 'ignore' });

  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-worktree-')));
    mkdirSync(join(base, 'main'));
    git('init', '-q');
    git('-c', 'user.name=n', '-c', 'user.email=a@b.c', 'commit', '-qm', 'one', '--allow-empty');
    git('worktree', 'add', '-q', join(base, 'tree'));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('is found if it names the worktree', () => {
    expect(repositoryOf(join(base, 'tree'))).toEqual({
      folder: join(base, 'main', '.git'),
      own: join(base, 'main', '.git', 'worktrees', 'tree'),
    });
  });

  it('does not exist for a plain repository or without one', () => {
    expect([repositoryOf(join(base, 'main')), repositoryOf(base), repositoryOf('/no/such')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is not accepted if only the workspace claims it', () => {
    const claim = (gitdir: string) => {
      rmSync(join(base, 'claim'), { recursive: true, force: true });
      mkdirSync(join(base, 'claim'));
      writeFileSync(join(base, 'claim', '.git'), `gitdir: ${gitdir}\n`);
      return repositoryOf(join(base, 'claim'));
    };
    expect(claim(join(base, 'main', '.git', 'worktrees', 'tree'))).toBeUndefined();
    expect(claim(join(base, 'main', '.git'))).toBeUndefined();
    expect(claim('/etc')).toBeUndefined();
    expect(claim('../tree')).toBeUndefined();
  });
});
