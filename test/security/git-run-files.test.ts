import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type StdioAgent, openStdioAgent } from '../support/stdio-agent.js';
import { openPlace, type Place } from '../support/gate.js';
import { hasProc } from '../support/proc.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** What the operator's repository looks like, and the file that an agent writes to gain the operator's rights. */
interface Case {
  readonly set: (repository: Repository) => void;
  readonly file: string;
  readonly text?: string;
  /** Shell commands in place of writing the file. */
  readonly script?: string;
}

interface Repository {
  readonly root: string;
  git(...args: readonly string[]): void;
  file(path: string, text: string): void;
}

const good = '#!/bin/sh\nexit 0\n';
const evil = '#!/bin/sh\ntouch "$(git rev-parse --show-toplevel)/canary"\n';
const evilConfig = '[core]\n\tfsmonitor = "touch canary; false"\n[alias]\n\tci = "!touch canary"\n';

const cases: Readonly<Record<string, Case>> = {
  'a hook below core.hooksPath': {
    set: ({ git, file }) => (
      git('config', 'core.hooksPath', '.githooks'), file('.githooks/pre-commit', good)
    ),
    file: '.githooks/pre-commit',
  },
  'a new hook below core.hooksPath': {
    set: ({ git, file }) => (
      git('config', 'core.hooksPath', '.githooks'), file('.githooks/commit-msg', good)
    ),
    file: '.githooks/pre-commit',
  },
  'a folder of hooks that does not exist yet': {
    set: ({ git }) => git('config', 'core.hooksPath', 'tools/hooks'),
    file: 'tools/hooks/pre-commit',
  },
  'a hook at the top of the work tree': {
    set: ({ git, file, root }) => (git('config', 'core.hooksPath', root), file('pre-commit', good)),
    file: 'pre-commit',
  },
  'an included configuration': {
    set: ({ git, file }) => (git('config', 'include.path', '../.gitconfig'), file('.gitconfig', '[x]\n')),
    file: '.gitconfig',
    text: evilConfig,
  },
  'an included configuration that does not exist yet': {
    set: ({ git }) => git('config', 'include.path', '../.gitconfig'),
    file: '.gitconfig',
    text: evilConfig,
  },
  'a configuration that an included one includes under a condition': {
    set: ({ git, file, root }) => {
      git('config', 'include.path', '../one.inc');
      file('one.inc', `[includeIf "gitdir:${root}/"]\n\tpath = conf/two.inc\n`);
      file('conf/two.inc', '');
    },
    file: 'conf/two.inc',
    text: evilConfig,
  },
  'a hook folder that an included configuration names': {
    set: ({ git, file }) => {
      git('config', 'include.path', '../one.inc');
      file('one.inc', '[CORE]\n\tHooksPath = \\\n  "dev/hooks" ; own\n');
      file('dev/hooks/pre-commit', good);
    },
    file: 'dev/hooks/pre-commit',
  },
  'the file behind a linked hook': {
    set: ({ root, file }) => {
      file('scripts/check.sh', good);
      symlinkSync('../../scripts/check.sh', join(root, '.git/hooks/pre-commit'));
    },
    file: 'scripts/check.sh',
  },
  'a link between a hook and its file': {
    set: ({ root, file }) => {
      file('scripts/check.sh', good);
      file('evil.sh', evil);
      symlinkSync('scripts/check.sh', join(root, 'check'));
      symlinkSync('../../check', join(root, '.git/hooks/pre-commit'));
    },
    file: 'scripts/check.sh',
    script: 'ln -sfn evil.sh check',
  },
  'a second link, in a folder beside, between a hook and its file': {
    set: ({ root, git, file }) => {
      git('config', 'core.hooksPath', '.githooks');
      file('tools/check.sh', good);
      file('scripts/other.sh', good);
      file('.githooks/commit-msg', good);
      file('evil.sh', evil);
      symlinkSync('../tools/check.sh', join(root, 'scripts/check'));
      symlinkSync('../scripts/check', join(root, '.githooks/pre-commit'));
    },
    file: 'tools/check.sh',
    script: 'ln -sfn ../evil.sh scripts/check',
  },
  'a link to the folder of hooks': {
    set: ({ root, git, file }) => {
      git('config', 'core.hooksPath', '.githooks');
      file('tools/hooks/pre-commit', good);
      symlinkSync('tools/hooks', join(root, '.githooks'));
    },
    file: 'tools/hooks/pre-commit',
    script: 'rm .githooks; mkdir .githooks; cp evil .githooks/pre-commit; chmod +x .githooks/pre-commit',
  },
  'a program for core.fsmonitor': {
    set: ({ git, file }) => (git('config', 'core.fsmonitor', 'tools/monitor'), file('tools/monitor', good)),
    file: 'tools/monitor',
  },
  'a script of an alias': {
    set: ({ git, file }) => (git('config', 'alias.ci', '!sh tools/ci.sh'), file('tools/ci.sh', good)),
    file: 'tools/ci.sh',
  },
  'a hook named by the configuration of the user': {
    set: ({ git, file }) => (
      git('config', '--global', 'core.hooksPath', 'team/hooks'), file('team/hooks/pre-commit', good)
    ),
    file: 'team/hooks/pre-commit',
  },
};

describe('[15.34] files outside .git that git runs', () => {
  let place: Place;
  let client: StdioAgent;
  let root: string;
  let repository: Repository;

  const open = async (set: Case['set'], roots: readonly string[] = ['.']): Promise<void> => {
    place = openPlace({ builtins: ['Read', 'Write', 'Edit', 'Bash'], workspace: { roots } });
    root = join(place.directory, 'workspace');
    repository = {
      root,
      git: (...args) =>
        void execFileSync('git', args, { cwd: root, env: { ...place.env, ...identity }, stdio: 'pipe' }),
      file(path, text) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
        chmodSync(join(root, path), 0o755);
      },
    };
    repository.git('init', '-q');
    repository.git('commit', '-qm', 'one', '--allow-empty');
    set(repository);
    client = await openStdioAgent(place);
  };
  afterEach(async () => {
    await client.close();
    place.close();
  });

  const identity = {
    GIT_AUTHOR_NAME: 'n',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'n',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  };
  /** What the operator does next. */
  const work = (): void => {
    for (const args of [['status'], ['commit', '-qm', 'two', '--allow-empty'], ['ci']])
      spawnSync('git', args, { cwd: root, env: { ...place.env, ...identity } });
  };
  const isHit = (): boolean => existsSync(join(root, 'canary'));
  const attack = ({ file, text = evil, script }: Case): string => {
    const write = `mkdir -p ${dirname(file)}; printf '%s' '${text}' > ${file}; chmod +x ${file}`;
    return `printf '%s' '${evil}' > evil; ${script ?? write}; true`;
  };

  it.each(Object.entries(cases))('cannot be written by file tools: %s', async (_name, one) => {
    await open(one.set);
    const given = { file_path: one.file, content: one.text ?? evil };
    if (existsSync(join(root, one.file))) await client.call('Read', { file_path: one.file });
    const result = await client.call('Write', given);
    expect(result.isError).toBe(true);
    expect(result.text).toContain('protected');
    work();
    expect(isHit()).toBe(false);
    // Control: the neighbour is written, so it is the name that git runs that is refused.
    const neighbour = await client.call('Write', { ...given, file_path: 'neighbour.txt' });
    expect(neighbour.isError).toBe(false);
  });

  const link = 'git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub';
  const linked = [
    'git init -q sub',
    'git -C sub -c user.name=n -c user.email=a@b.c commit -qm one --allow-empty',
    'git -C sub config core.fsmonitor "touch $PWD/canary; false"',
    link,
  ].join(' && ');

  it.skipIf(!hasBubblewrap)('do not include a repository that a command linked to the index', async () => {
    await open(() => undefined);
    const { structured } = await client.call('Bash', { command: linked });
    expect(structured).toMatchObject({ sandbox: 'bubblewrap' });
    expect(existsSync(join(root, 'sub', '.git.undone-1'))).toBe(true);
    work();
    expect(isHit()).toBe(false);
  });

  it.skipIf(!hasBubblewrap)(
    'do not include a repository that one command created and another linked',
    async () => {
      await open(() => undefined);
      await client.call('Bash', { command: linked.replace(` && ${link}`, '') });
      expect(existsSync(join(root, 'sub', '.git'))).toBe(false);
      await client.call('Bash', { command: link });
      work();
      expect(isHit()).toBe(false);
    },
  );

  it.skipIf(!hasBubblewrap)('control: a linked repository without programs is left alone', async () => {
    await open(() => undefined);
    await client.call('Bash', { command: linked.replace(/ && git -C sub config [^&]*/, '') });
    expect(existsSync(join(root, 'sub', '.git', 'HEAD'))).toBe(true);
  });

  it('control: a linked repository runs its programs at the next status', async () => {
    await open(() => undefined);
    execFileSync('/bin/sh', ['-c', linked], { cwd: root, env: place.env });
    work();
    expect(isHit()).toBe(true);
  });

  it.skipIf(!hasBubblewrap).each(Object.entries(cases))(
    'cannot be changed by sandboxed commands: %s',
    async (_name, one) => {
      await open(one.set);
      const result = await client.call('Bash', { command: attack(one) });
      expect(result.structured).toMatchObject({ sandbox: 'bubblewrap' });
      work();
      expect(isHit()).toBe(false);
    },
  );

  it.each(Object.entries(cases))(
    'control: can be used to get the rights of the operator: %s',
    async (_name, one) => {
      await open(one.set);
      execFileSync('/bin/sh', ['-c', attack(one)], { cwd: root });
      work();
      expect(isHit()).toBe(true);
    },
  );

  /** Submodules that each have a hook in their work tree, as the index of the repository has links to them. */
  const manySubmodules =
    (count: number): Case['set'] =>
    ({ root: top, git, file }) => {
      git('init', '-q', '--template=', 'sub0');
      git('-C', 'sub0', 'config', 'core.hooksPath', '.githooks');
      git('-C', 'sub0', 'commit', '-qm', 'one', '--allow-empty');
      file('sub0/.githooks/pre-commit', good);
      const names = Array.from({ length: count }, (_, index) => `sub${String(index)}`);
      for (const name of names.slice(1)) cpSync(join(top, 'sub0'), join(top, name), { recursive: true });
      const lines = names.map((name) => `160000 ${'1'.repeat(40)}\t${name}\n`).join('');
      execFileSync('git', ['update-index', '--add', '--index-info'], { cwd: top, input: lines });
    };
  const commitIn = (tree: string): void =>
    void spawnSync('git', ['commit', '-qm', 'two', '--allow-empty'], {
      cwd: join(root, tree),
      env: { ...place.env, ...identity },
    });

  it.skipIf(!hasBubblewrap)('are protected in each of 90 submodules', async () => {
    await open(manySubmodules(90));
    const command = `for i in $(seq 0 89); do printf '%s' '${evil}' > sub$i/.githooks/pre-commit; done; echo x > plain; true`;
    expect((await client.call('Bash', { command })).structured).toMatchObject({ sandbox: 'bubblewrap' });
    // The control: what git does not run is written.
    expect(existsSync(join(root, 'plain'))).toBe(true);
    for (let index = 0; index < 90; index += 1) {
      const file = `sub${String(index)}/.githooks/pre-commit`;
      expect([file, readFileSync(join(root, file), 'utf8')]).toEqual([file, good]);
    }
    for (const file of ['sub89/.githooks/pre-commit', 'sub3/.githooks/pre-commit']) {
      await client.call('Read', { file_path: file });
      expect((await client.call('Write', { file_path: file, content: evil })).isError).toBe(true);
    }
    commitIn('sub89');
    expect(existsSync(join(root, 'sub89', 'canary'))).toBe(false);
    // The control: with another hook git runs it.
    writeFileSync(join(root, 'sub89/.githooks/pre-commit'), evil);
    commitIn('sub89');
    expect(existsSync(join(root, 'sub89', 'canary'))).toBe(true);
  });

  it.skipIf(!hasBubblewrap)(
    'prevent every command if there are more work trees than can be protected',
    async () => {
      await open(manySubmodules(520));
      const refused = await client.call('Bash', { command: 'echo x > plain' });
      expect(refused.text).toContain('too_many_work_trees');
      expect(existsSync(join(root, 'plain'))).toBe(false);
      const given = { file_path: 'sub515/new.txt', content: 'x' };
      expect((await client.call('Write', given)).isError).toBe(true);
      expect((await client.call('Write', { ...given, file_path: 'new.txt' })).isError).toBe(false);
    },
  );

  it.skipIf(!hasBubblewrap)('are protected if the root is a folder inside the work tree', async () => {
    await open(
      ({ git, file }) => {
        git('config', 'core.hooksPath', 'app/hooks');
        file('app/hooks/pre-commit', good);
      },
      ['app'],
    );
    const bash = await client.call('Bash', { command: `printf '%s' '${evil}' > hooks/pre-commit; true` });
    expect(bash.structured).toMatchObject({ sandbox: 'bubblewrap' });
    await client.call('Read', { file_path: 'hooks/pre-commit' });
    const write = await client.call('Write', { file_path: 'hooks/pre-commit', content: evil });
    expect(write.isError).toBe(true);
    expect(readFileSync(join(root, 'app/hooks/pre-commit'), 'utf8')).toBe(good);
  });

  it.skipIf(!hasBubblewrap)('are checked without blocking on pipes or cyclic includes', async () => {
    await open(({ git, root: at, file }) => {
      execFileSync('mkfifo', [join(at, 'pipe.inc')]);
      file('circle.inc', '[include]\n\tpath = circle.inc\n\tpath = pipe.inc\n');
      git('config', 'include.path', '../circle.inc');
    });
    expect((await client.call('Bash', { command: 'echo on' })).structured).toMatchObject({
      stdout: 'on\n',
    });
    expect((await client.call('Write', { file_path: 'a.txt', content: 'a' })).isError).toBe(false);
  });
});
