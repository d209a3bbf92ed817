import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/gate.js';
import { hasProc } from '../support/proc.js';
import { openTestShell, type TestShell } from '../support/shell.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

const asSomebody = ['-c', 'user.name=n', '-c', 'user.email=a@b.c', '-c', 'protocol.file.allow=always'];

/** A repository as people have them: a submodule, a worktree elsewhere and one inside, another repository inside. */
function fillRepository({ root, outside }: TestShell): void {
  rmSync(root, { recursive: true });
  mkdirSync(root);
  const lib = join(outside, 'lib');
  gitIn(outside, 'init', '-q', 'lib');
  gitIn(lib, 'commit', '-qm', 'one', '--allow-empty');
  gitIn(root, 'init', '-q');
  writeFileSync(join(root, '.gitignore'), 'trees\nown\n');
  gitIn(root, 'submodule', '-q', 'add', lib, 'libs/lib');
  gitIn(root, 'add', '.');
  gitIn(root, 'commit', '-qm', 'one');
  gitIn(root, 'worktree', 'add', '-q', join(outside, 'tree'));
  gitIn(root, 'worktree', 'add', '-q', join(root, 'trees', 'inner'));
  gitIn(root, 'init', '-q', 'own');
  gitIn(join(root, 'own'), 'commit', '-qm', 'one', '--allow-empty');
}

function gitIn(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...asSomebody, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

/** What the operator, or a prompt or an editor for them, does afterwards. */
function lookAround({ root, outside }: TestShell): void {
  for (const folder of ['.', 'libs/lib', 'trees/inner', 'own', join(outside, 'tree')])
    spawnSync('git', ['status'], { cwd: join(root, folder.startsWith('/') ? '.' : folder) });
  spawnSync('git', ['status'], { cwd: join(outside, 'tree') });
  spawnSync('git', ['commit', '--allow-empty', '-m', 'x'], { cwd: join(root, 'libs', 'lib') });
}

/** A repository whose configuration runs a command; `$EVIL` is where it is. */
const makeEvil =
  'EVIL=$PWD/evil; cp -r .git evil; rm -rf evil/worktrees; git config -f evil/config core.fsmonitor "touch $CANARY; false"; git config -f evil/config --unset core.worktree; ';
const setEvil = 'core.fsmonitor "touch $CANARY; false"';
const evilHook = `'#!/bin/sh\\ntouch %s\\n' "$CANARY"`;

/** Each makes git, when the operator next uses it, touch the canary: if it succeeds. */
const attacks: Readonly<Record<string, string>> = {
  'another common folder': `${makeEvil} echo ../evil > .git/commondir`,
  'another common folder, for a while': `${makeEvil} echo ../evil > .git/commondir; sleep 30`,
  'the configuration of a submodule': `git config -f .git/modules/libs/lib/config ${setEvil}`,
  'a hook of a submodule': `printf ${evilHook} > .git/modules/libs/lib/hooks/pre-commit && chmod +x .git/modules/libs/lib/hooks/pre-commit`,
  'another common folder of a submodule': `${makeEvil} echo ../../../../evil > .git/modules/libs/lib/commondir`,
  'another folder for a submodule': `mv .git/modules/libs .git/modules/l && cp -r .git/modules/l .git/modules/libs && git config -f .git/modules/libs/lib/config ${setEvil}`,
  'the pointer of a submodule': `${makeEvil} echo "gitdir: $EVIL" > libs/lib/.git`,
  'another pointer of a submodule': `${makeEvil} rm -f libs/lib/.git; echo "gitdir: $EVIL" > libs/lib/.git`,
  'another work tree for a submodule': `${makeEvil} mv libs l && mkdir -p libs/lib && echo "gitdir: $EVIL" > libs/lib/.git`,
  'the common folder of a worktree': `${makeEvil} echo "$EVIL" > .git/worktrees/tree/commondir; echo "$EVIL" > .git/worktrees/inner/commondir`,
  'another folder for a worktree': `${makeEvil} mv .git/worktrees .git/w && cp -r .git/w .git/worktrees && echo "$EVIL" > .git/worktrees/tree/commondir`,
  'a repository inside': `git -C own config ${setEvil}`,
  'another repository inside': `mv own o && git init -q own && git -C own config ${setEvil}`,
};

describe.skipIf(!hasBubblewrap)('git, used by the operator after a command in the sandbox,', () => {
  let shell: TestShell;
  let canary: string;
  const open = async (sandbox: 'bubblewrap' | 'none'): Promise<void> => {
    shell = await openTestShell({ sandbox });
    fillRepository(shell);
    // Where every command may write.
    canary = join(shell.root, 'trees', 'canary');
  };
  afterEach(() => shell.close());

  it.each(Object.entries(attacks))('runs nothing that the command created: %s', async (_name, script) => {
    await open('bubblewrap');
    const { sandbox, undonePaths } = await shell.run(`export CANARY=${canary}; ${script}`);
    expect(sandbox).toBe('bubblewrap');
    if (script.includes('/commondir') && !script.includes('worktrees/')) {
      // The prepared repository itself is undone too.
      expect(undonePaths).toEqual(
        expect.arrayContaining([/> (\S+\/commondir)/.exec(script)?.[1], 'evil/config']),
      );
    }
    lookAround(shell);
    expect(existsSync(canary)).toBe(false);
  });

  it.each(Object.entries(attacks).filter(([name]) => !name.includes('for a while')))(
    'control: without a sandbox it does, and the result says what changed: %s',
    async (name, script) => {
      await open('none');
      const result = await shell.run(`export CANARY=${canary}; ${script}`);
      expect([...result.createdPaths, ...result.changedPaths].length, name).toBeGreaterThan(0);
      lookAround(shell);
      expect(existsSync(canary), `${result.stdout}${result.stderr}`).toBe(true);
    },
  );

  it('ends a command that creates commondir, quickly', async () => {
    await open('bubblewrap');
    const { durationMs, exitCode } = await shell.run('echo ../evil > .git/commondir; sleep 15');
    expect(durationMs).toBeLessThan(12_000);
    expect(exitCode).not.toBe(0);
    expect(existsSync(join(shell.root, '.git', 'commondir'))).toBe(false);
  });

  it.each([
    [
      'objects of another repository',
      'echo /x > .git/objects/info/alternates',
      '.git/objects/info/alternates',
    ],
    [
      'a repository that git enters',
      'git init -q sub; git -C sub -c user.name=n -c user.email=a@b.c commit -qm x --allow-empty; git add sub 2>/dev/null',
      'sub/.git/config',
    ],
    ['a worktree', 'git worktree add -q trees/another', '.git/worktrees/another/commondir'],
  ])('gets a report of what could not be prevented: %s', async (_name, script, path) => {
    await open('bubblewrap');
    const { createdPaths, sandbox, stderr } = await shell.run(script);
    expect(sandbox).toBe('bubblewrap');
    expect(createdPaths, stderr).toContain(path);
    expect((await shell.run('git status --short')).createdPaths).toEqual([]);
  });

  it.each([
    ['a configuration for a worktree', 'touch .git/config.worktree', '.git/config.worktree'],
    ['an index that hides what it holds', 'git update-index --split-index', '.git/index'],
    ['an invalid index', 'echo x > .git/index', '.git/index'],
  ])('finds undone what only an attack creates: %s', async (_name, script, path) => {
    await open('bubblewrap');
    expect((await shell.run(script)).undonePaths).toEqual([path]);
    expect(existsSync(join(shell.root, path))).toBe(false);
    expect(existsSync(join(shell.root, '.git', 'HEAD'))).toBe(true);
  });

  it('keeps what the operator configures while a command runs', async () => {
    await open('bubblewrap');
    const running = shell.run('touch trees/begun; sleep 3');
    await waitFor(
      () => existsSync(join(shell.root, 'trees', 'begun')),
      15_000,
      () => 'the command did not begin',
    );
    gitIn(shell.root, 'config', 'alias.x', '!true');
    const { undonePaths, exitCode, changedPaths } = await running;
    expect([undonePaths, exitCode, changedPaths]).toEqual([[], 0, ['.git/config']]);
    expect(gitIn(shell.root, 'config', 'alias.x')).toBe('!true\n');
  });

  it('has its own split index, which commands cannot change', async () => {
    await open('bubblewrap');
    gitIn(shell.root, 'update-index', '--split-index');
    const { undonePaths, exitCode } = await shell.run(
      'git status --short && ! git update-index --force-write-index',
    );
    expect([undonePaths, exitCode]).toEqual([[], 0]);
  });

  it('gets a report of a new repository, whether folder or file', async () => {
    shell = await openTestShell({ sandbox: 'bubblewrap' });
    rmSync(join(shell.root, '.git'), { recursive: true });
    expect((await shell.run('git init -q .')).createdPaths).toEqual(['.git/config']);
    rmSync(join(shell.root, '.git'), { recursive: true });
    expect((await shell.run('echo "gitdir: x" > .git')).createdPaths).toEqual(['.git']);
  });
});

describe.skipIf(!hasBubblewrap)('git in the sandbox', () => {
  let shell: TestShell;
  beforeEach(async () => {
    shell = await openTestShell({
      sandbox: 'bubblewrap',
      env: {
        GIT_AUTHOR_NAME: 'n',
        GIT_AUTHOR_EMAIL: 'a@b.c',
        GIT_COMMITTER_NAME: 'n',
        GIT_COMMITTER_EMAIL: 'a@b.c',
      },
    });
    fillRepository(shell);
  });
  afterEach(() => shell.close());

  it('does its everyday work without a warning', async () => {
    const commands = [
      'git status --short',
      'echo x > f && git add f && git commit -qm two',
      'git checkout -q -b topic && git branch --list topic',
      'echo y > f && git stash -q && git stash list && git stash pop -q && cat f',
      'git commit -qam three && git checkout -q - && git merge -q topic && git log --oneline | wc -l',
      'git tag v1 && git diff v1~1 --stat && git reset -q --hard HEAD~1 && git rebase -q topic',
      'git submodule status && git worktree list',
      'cd libs/lib && git commit -qm in-the-submodule --allow-empty && cd ../.. && git add libs/lib && git commit -qm bump',
      'cd trees/inner && echo z > z && git add z && git commit -qm in-the-worktree && git status --short',
      'cd own && echo z > z && git add z && git commit -qm in-the-other && git status --short',
      'git fetch -q . topic && git gc -q && git fsck && git status --short',
    ];
    for (const command of commands) {
      const { exitCode, stderr, createdPaths, changedPaths, undonePaths } = await shell.run(command);
      expect([command, exitCode, stderr.includes('rror')]).toEqual([command, 0, false]);
      expect([command, createdPaths, changedPaths, undonePaths]).toEqual([command, [], [], []]);
    }
    expect(readFileSync(join(shell.root, 'f'), 'utf8')).toBe('y\n');
    expect(gitIn(shell.root, 'status', '--short')).toBe('');
  });

  it('works with more submodules than can be mounted one by one, which are then read-only', async () => {
    const modules = join(shell.root, '.git', 'modules');
    for (let number = 0; number < 40; number += 1) {
      mkdirSync(join(modules, `m${String(number)}`));
      writeFileSync(join(modules, `m${String(number)}`, 'HEAD'), '');
    }
    const { stderr } = await shell.run(
      'for m in m0 m39 libs/lib; do echo x > .git/modules/$m/config; done; git status --short',
    );
    expect(stderr.match(/Read-only/g)).toHaveLength(3);
    expect((await shell.run('echo x > f && git add f && git commit -qm two')).exitCode).toBe(0);
  });
});
