import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPlace, type Place, spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
const limitMs = 120_000;

const identity = {
  GIT_AUTHOR_NAME: 'n',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'n',
  GIT_COMMITTER_EMAIL: 'a@b.c',
};
const exports = Object.entries(identity).map(([name, value]) => `export ${name}=${value}`);
const prelude = `${exports.join('; ')}
make() { git init -q "$1" && git -C "$1" commit -qm m --allow-empty; }
link() { printf "160000 $(git -C "$1" rev-parse HEAD)\\t$2\\0" | git update-index -z --index-info; }
evil() { printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "touch %s; false"\\n' "$PWD/canary" > "$1"; }
`;

/** Writes an index with one link, also under a name that git would not write. */
const writeIndex = (name: string): string => `python3 - <<'P'
import struct, hashlib
name = b'${name}'
entry = struct.pack('>10I', 0, 0, 0, 0, 0, 0, 0o160000, 0, 0, 0) + bytes(20) + struct.pack('>H', len(name)) + name
entry += bytes(8 - len(entry) % 8)
data = b'DIRC' + struct.pack('>II', 2, 1) + entry
open('.git/index', 'wb').write(data + hashlib.sha1(data).digest())
P`;

interface Attack {
  /** What the operator has in the workspace. */
  readonly operator?: string;
  /** One command per session. */
  readonly sessions: readonly string[];
  /** Where the operator runs `git status`. */
  readonly cwd?: string;
}

const attacks: Readonly<Record<string, Attack>> = {
  'a repository made in one session and linked in the next': {
    sessions: ['make sub && evil sub/.git/config', 'link sub sub'],
  },
  'a repository of the operator with its own commands, linked by an agent': {
    operator: 'make sub && evil sub/.git/config',
    sessions: ['true', 'link sub sub'],
  },
  'a prepared folder that a .git file leads to in the next session': {
    sessions: [
      'make sub && mv sub/.git prep && evil prep/config',
      'echo "gitdir: ../prep" > sub/.git && link sub sub',
    ],
  },
  'a .git file that comes first and a configuration that follows': {
    sessions: ['make sub && mv sub/.git prep && echo "gitdir: ../prep" > sub/.git', 'evil prep/config'],
    cwd: 'sub',
  },
  'a bare repository that the operator enters': {
    sessions: ['git init -q --bare prep', 'evil prep/config && echo "	worktree = .." >> prep/config'],
    cwd: 'prep',
  },
  'a commondir that leads to a prepared folder': {
    sessions: [
      'make sub && cp -r sub/.git prep && evil prep/config',
      'rm sub/.git/config && echo ../../prep > sub/.git/commondir',
    ],
    cwd: 'sub',
  },
  'a renamed folder with a prepared repository': {
    sessions: ['make a/x && mv a/x/.git a/x/g && evil a/x/g/config', 'mv a/x/g a/x/.git && mv a b'],
    cwd: 'b/x',
  },
  'a repository eight folders deep': {
    sessions: ['make 1/2/3/4/5/6/7/8 && evil 1/2/3/4/5/6/7/8/.git/config'],
    cwd: '1/2/3/4/5/6/7/8',
  },
  'a repository behind 40 others': {
    sessions: ['for i in $(seq 10 49); do make n$i; done', 'make z && evil z/.git/config'],
    cwd: 'z',
  },
  'a repository behind 2,100 folders': {
    sessions: ['mkdir -p f/{1..2100}', 'make z/1 && evil z/1/.git/config'],
    cwd: 'z/1',
  },
  'a deep repository of the operator that had its own commands before': {
    operator: 'make 1/2/3/4/5 && git -C 1/2/3/4/5 config core.pager less',
    sessions: ['evil 1/2/3/4/5/.git/config'],
    cwd: '1/2/3/4/5',
  },
  'a worktree of a prepared repository': {
    sessions: [
      'make sub && git -C sub worktree add -q ../wt',
      'git -C sub config extensions.worktreeConfig true && evil sub/.git/worktrees/wt/config.worktree',
    ],
    cwd: 'wt',
  },
  'a chain of twelve repositories in packages': {
    sessions: [
      'd=node_modules; for i in $(seq 12); do d=$d/a; make $d; done; while [ $d != node_modules/a ]; do p=${d%/a}; (cd $p; link a a); d=$p; done; d=node_modules; for i in $(seq 12); do d=$d/a; evil $d/.git/config; done',
      'link node_modules/a node_modules/a',
    ],
  },
  'a chain of links into packages': {
    sessions: [
      'make n/node_modules/x/y && make n/node_modules/x && make n && (cd n/node_modules/x; link y y); evil n/node_modules/x/y/.git/config; cd n; link node_modules/x node_modules/x',
    ],
    cwd: 'n',
  },
  'a link into a nested .tidegate': {
    sessions: [
      'make n && make n/.tidegate/x && evil n/.tidegate/x/.git/config; cd n; link .tidegate/x .tidegate/x',
    ],
    cwd: 'n',
  },
  'a repository in a nested .tidegate': {
    sessions: ['make n/.tidegate/x && evil n/.tidegate/x/.git/config'],
    cwd: 'n/.tidegate/x',
  },
  'hooks in a folder that the configuration of the user names in every work tree': {
    operator: 'git config --global core.hooksPath .githooks',
    sessions: [
      'make sub; echo x > sub/f; git -C sub add f; git -C sub commit -qm f; mkdir sub/.githooks; printf "#!/bin/sh\\ntouch $PWD/canary\\n" > sub/.githooks/post-index-change; chmod +x sub/.githooks/*; touch -d 2001-01-01 sub/f',
    ],
    cwd: 'sub',
  },
  'a renamed pointer to the repository of the operator, whose hooks are then those of the folder': {
    operator:
      'mkdir .githooks sub && echo hi > top && git add top && git config core.hooksPath .githooks && git commit -qm two',
    sessions: [
      'echo "gitdir: ../.git" > sub/pre; mkdir sub/.githooks; printf "#!/bin/sh\\ntouch $PWD/canary\\n" > sub/.githooks/post-index-change; chmod +x sub/.githooks/*; cp top sub/top',
      'mv sub/pre sub/.git; touch -d 2001-01-01 sub/top',
    ],
    cwd: 'sub',
  },
};

describe.skipIf(!hasBubblewrap)('[15.34] the operator runs git after several sessions', () => {
  let place: Place;
  let root: string;
  const shell = (script: string): void =>
    void execFileSync('/bin/bash', ['-c', `${prelude}${script}`], {
      cwd: root,
      env: place.env,
      stdio: 'pipe',
    });
  const status = (cwd = ''): string => {
    const options = { cwd: join(root, cwd), env: { ...place.env, ...identity }, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync('git', ['status', '--short'], options);
    return `${stdout}${stderr}`;
  };
  const open = (config: object = {}): void => {
    place = openPlace({ builtins: ['Read', 'Write', 'Bash', 'BashOutput', 'KillBash'], ...config });
    root = join(place.directory, 'workspace');
    mkdirSync(root, { recursive: true });
    shell('git init -q && git commit -qm one --allow-empty');
  };
  const bash = async (script: string, more: object = {}) => {
    const client = await openStdioAgent(place);
    try {
      const answer = await client.call('Bash', { command: `${prelude}${script}`, ...more });
      expect(answer.structured, answer.text).toMatchObject({ sandbox: 'bubblewrap' });
      return answer.structured;
    } finally {
      await client.close();
    }
  };
  const isHit = (): boolean => existsSync(join(root, 'canary'));
  afterEach(() => place.close());

  it.each(Object.entries(attacks))(
    'and runs nothing from %s',
    { timeout: limitMs },
    async (_name, attack) => {
      open();
      if (attack.operator !== undefined) shell(attack.operator);
      const results: Readonly<Record<string, unknown>>[] = [];
      for (const script of attack.sessions) results.push(await bash(script));
      if (existsSync(join(root, attack.cwd ?? ''))) status(attack.cwd);
      expect(isHit()).toBe(false);
      // Either the sandbox kept it from being written, and the command says so, or it was undone.
      const isTold = results.some((one) => 'undone_configurations' in one || one['exit_code'] !== 0);
      expect(isTold).toBe(true);
    },
  );

  it.each(Object.entries(attacks))('control: git runs %s', { timeout: limitMs }, (_name, attack) => {
    open();
    for (const script of [attack.operator ?? 'true', ...attack.sessions]) shell(script);
    status(attack.cwd);
    expect(isHit()).toBe(true);
  });

  it('and runs nothing from a command that timed out', { timeout: limitMs }, async () => {
    open();
    const result = await bash('make sub && evil sub/.git/config && sleep 60', { timeout: 3000 });
    expect(result).toMatchObject({ timed_out: true });
    expect(result['undone_configurations']).toContain('sub/.git');
    expect(existsSync(join(root, 'sub', '.git'))).toBe(false);
  });

  it('and runs nothing from a background command that is still running', { timeout: limitMs }, async () => {
    open();
    const client = await openStdioAgent(place);
    const command = `${prelude}make sub && evil sub/.git/config; touch ready; sleep 100`;
    await client.call('Bash', { command, run_in_background: true });
    await waitFor(
      () => existsSync(join(root, 'ready')),
      limitMs / 2,
      () => 'waited too long',
    );
    await waitFor(
      () => !existsSync(join(root, 'sub', '.git')),
      20_000,
      () => 'waited too long',
    );
    await client.close();
    expect(existsSync(join(root, 'sub', '.git.undone-1'))).toBe(true);
  });

  it('and runs nothing from a command whose gateway was killed, after the next start', {
    timeout: limitMs,
  }, async () => {
    open();
    shell('make mine && git -C mine config core.pager less');
    const gate = spawnStdioGate(place);
    const client = openLineClient(gate);
    await client.initialize();
    const command = `${prelude}make sub && evil sub/.git/config; touch ready; sleep 100`;
    void client
      .request('tools/call', { name: 'Bash', arguments: { command } }, limitMs)
      .catch(() => undefined);
    await waitFor(
      () => existsSync(join(root, 'ready')),
      limitMs / 2,
      () => 'waited too long',
    );
    gate.kill('SIGKILL');
    // Control: it is there.
    expect(existsSync(join(root, 'sub', '.git'))).toBe(true);
    const next = await openStdioAgent(place);
    await waitFor(
      () => !existsSync(join(root, 'sub', '.git')),
      20_000,
      () => 'waited too long',
    );
    await next.call('Bash', { command: 'true' });
    await next.close();
    status('sub');
    expect(isHit()).toBe(false);
    expect(readFileSync(join(root, 'mine/.git/config'), 'utf8')).toContain('less');
  });

  const parts: Readonly<Record<string, string>> = {
    'prep/HEAD': 'ref: refs/heads/main\n',
    'prep/refs/heads/x.txt': '',
    'prep/objects/x.txt': '',
    'prep/config':
      '[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n\tfsmonitor = "touch canary; false"\n',
  };
  const orders = [Object.keys(parts), Object.keys(parts).reverse()];

  it.each(orders)(
    'and runs nothing that file tools wrote step by step: %s first',
    {
      timeout: limitMs,
    },
    async (...files) => {
      open();
      const refused: string[] = [];
      for (const file of files) {
        const client = await openStdioAgent(place);
        const { isError, text } = await client.call('Write', { file_path: file, content: parts[file] });
        if (isError) refused.push(text);
        await client.close();
      }
      expect(refused).toHaveLength(1);
      expect(refused[0]).toContain('protected');
      status('prep');
      expect(isHit()).toBe(false);
      // Control: with the file that was refused, git runs it.
      for (const file of files) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), parts[file] ?? '');
      }
      status('prep');
      expect(isHit()).toBe(true);
    },
  );

  it('and finds everyday repositories unchanged', { timeout: limitMs }, async () => {
    open();
    const first = await bash(
      'git init -q new && make sub && git clone -q sub copy && git clone -q --bare sub bare.git && git clone -q --mirror sub mirror.git && git worktree add -q wt',
    );
    expect(first).toMatchObject({ exit_code: 0 });
    expect(first).not.toHaveProperty('undone_configurations');
    const second = await bash(
      'git -C wt commit -qm w --allow-empty && git -C copy pull -q && git -C sub worktree add -q ../wt2 && git -C wt2 status --short && mv copy moved && git worktree remove wt',
    );
    expect(second).not.toHaveProperty('undone_configurations');
    expect(existsSync(join(root, 'wt2/.git'))).toBe(true);
  });

  it('and agents can continue after one linked more repositories than can be protected', {
    timeout: limitMs,
  }, async () => {
    open();
    const many = await bash(
      'make n0; for i in $(seq 1 530); do cp -r n0 n$i; done; for i in $(seq 0 530); do printf "160000 $(git -C n0 rev-parse HEAD)\\tn$i\\0"; done | git update-index -z --index-info',
    );
    expect(many['undone_configurations']).toEqual(['.git/index']);
    expect(await bash('echo on')).toMatchObject({ stdout: 'on\n' });
  });

  it('and finds repositories outside the workspace unchanged, whatever a link points to', {
    timeout: limitMs,
  }, async () => {
    open();
    const client = await openStdioAgent(place);
    const name = 'node_modules/../../../private/clone';
    const command = `${prelude}make n && cd n\n${writeIndex(name)}\ntouch ../ready; sleep 5`;
    const ended = client.call('Bash', { command });
    await waitFor(
      () => existsSync(join(root, 'ready')),
      limitMs / 2,
      () => 'waited too long',
    );
    shell('make ../private/clone && git -C ../private/clone config core.pager less');
    const { structured } = await ended;
    await client.close();
    expect(existsSync(join(root, '../private/clone/.git/config'))).toBe(true);
    // An index with such a name counts as unreadable.
    expect(structured['undone_configurations']).toEqual(['n/.git']);
  });

  it('and runs nothing from a repository in a folder whose name is not UTF-8', {
    timeout: limitMs,
  }, async () => {
    open();
    const script = `d=$(printf 'd\\377'); make "$d/e"; evil "$d/e/.git/config"`;
    const run = `cd "$(printf 'd\\377')/e" && git status --short`;
    const result = await bash(script);
    shell(run);
    expect(isHit()).toBe(false);
    expect(result['undone_configurations']).toContain('d\\xff/e/.git');
    // Control: git runs it.
    shell(`${script}; ${run}`);
    expect(isHit()).toBe(true);
  });

  it('and agents can continue after one linked repositories with long comments', {
    timeout: limitMs,
  }, async () => {
    open();
    await bash(
      'make n0; for i in $(seq 1000); do echo "# 0123456789012345678901234567890123456789012345678901234567"; done >> n0/.git/config; for i in $(seq 40); do cp -r n0 n$i; done; for i in $(seq 0 40); do printf "160000 $(git -C n0 rev-parse HEAD)\\tn$i\\0"; done | git update-index -z --index-info',
    );
    expect(await bash('echo on')).toMatchObject({ stdout: 'on\n' });
  });

  it('and runs nothing that a second command restores after the check of the first', {
    timeout: limitMs,
  }, async () => {
    open();
    const client = await openStdioAgent(place);
    const first = client.call('Bash', {
      command: `${prelude}make sub; echo x > sub/f; git -C sub add f; git -C sub commit -qm f; printf "#!/bin/sh\\ntouch $PWD/canary\\n" > sub/.git/hooks/post-index-change; chmod +x sub/.git/hooks/post-index-change; touch ready; sleep 3`,
    });
    await waitFor(
      () => existsSync(join(root, 'ready')),
      limitMs / 2,
      () => 'waited too long',
    );
    const second = client.call('Bash', {
      command:
        'for i in $(seq 300); do [ -e sub/.git.undone-1/hooks.undone-1 ] && break; sleep 0.1; done; sleep 1; mv sub/.git.undone-1/hooks.undone-1 sub/.git.undone-1/hooks; mv sub/.git.undone-1 sub/.git; touch -d 2001-01-01 sub/f',
    });
    expect((await first).structured['undone_configurations']).toContain('sub/.git');
    expect((await second).structured['undone_configurations']).toContain('sub/.git/hooks');
    await client.close();
    status('sub');
    expect(isHit()).toBe(false);
  });

  it('and agents can continue after one linked a folder to itself, again and again', {
    timeout: limitMs,
  }, async () => {
    open();
    const links = await bash(
      'make n; cd n; mkdir node_modules; h=$(git rev-parse HEAD); for i in 1 2 3 4 5 6 7 8; do ln -s .. node_modules/l$i; printf "160000 $h\\tnode_modules/l$i\\0"; done | git update-index -z --index-info',
    );
    expect(links).toMatchObject({ exit_code: 0 });
    expect(await bash('echo on')).toMatchObject({ stdout: 'on\n' });
  });

  it('and finds a copy of configuration files that were written while a command ran', {
    timeout: limitMs,
  }, async () => {
    open();
    shell('git config include.path ../.gitlocal');
    const client = await openStdioAgent(place);
    const ended = client.call('Bash', { command: 'touch ready; sleep 8' });
    await waitFor(
      () => existsSync(join(root, 'ready')),
      limitMs / 2,
      () => 'waited too long',
    );
    writeFileSync(join(root, '.gitlocal'), '# work\n');
    writeFileSync(join(root, '.git/config.worktree'), '# more work\n');
    await ended;
    await client.close();
    expect(existsSync(join(root, '.gitlocal'))).toBe(false);
    expect(readFileSync(join(root, '.gitlocal.undone-1'), 'utf8')).toBe('# work\n');
    expect(readFileSync(join(root, '.git/config.worktree.undone-1'), 'utf8')).toBe('# more work\n');
  });

  const operatorFile = 'packages/deep/a/.vscode/tasks.json';
  const fill = 'for i in $(seq 60); do mkdir -p f$i/.vscode; echo {} > f$i/.vscode/tasks.json; done';
  it.each(['auto', 'off'])(
    'and finds nested configurations unchanged (sandbox %s)',
    {
      timeout: limitMs,
    },
    async (sandbox) => {
      open({ shell: { sandbox } });
      mkdirSync(dirname(join(root, operatorFile)), { recursive: true });
      writeFileSync(join(root, operatorFile), 'good\n');
      for (const script of [fill, `echo evil > ${operatorFile}; true`]) {
        const client = await openStdioAgent(place);
        await client.call('Bash', { command: script });
        await client.close();
      }
      // Control: without the sandbox the file is changed.
      expect(readFileSync(join(root, operatorFile), 'utf8')).toBe(sandbox === 'auto' ? 'good\n' : 'evil\n');
    },
  );
});
