import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasProc } from '../support/proc.js';
import { openTestShell, protectedPaths, systemPath, type TestShell } from '../support/shell.js';
import { driveShell, type DriverUser } from '../support/shell-driver.js';

const bubblewrap = '/usr/bin/bwrap';
const hasBubblewrap =
  hasProc && spawnSync(bubblewrap, ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
const isRoot = process.getuid?.() === 0;
const nobody: DriverUser = { uid: 65534, gid: 65534 };

/** Each prints ESCAPED, or leaves a trace, if it gets out. `$OUT` is a folder beside the workspace. */
const attempts: Readonly<Record<string, string>> = {
  'write beside the workspace': 'echo x > "$OUT/escaped"',
  'write to the system': 'echo x > /etc/escaped; echo x > /usr/escaped',
  'write to the home': 'echo x > "$HOME/.tidegate-escaped"',
  'write through a link': 'ln -s "$OUT" link; echo x > link/escaped; rm -f link',
  'move the workspace': 'cd ..; mv workspace elsewhere && echo ESCAPED',
  'remount the root': 'mount -o remount,rw,bind / && echo ESCAPED',
  'remount what is protected': 'mount -o remount,rw,bind "$PWD/.git/hooks" && echo ESCAPED',
  'unmount what is protected': 'umount -l "$PWD/.git/hooks" "$PWD/.git" && echo ESCAPED',
  'mount in its own namespaces': `unshare -Urm sh -c 'umount -l "$PWD/.git/hooks" && echo x > .git/hooks/escaped && echo ESCAPED'`,
  'bind the folder without its mounts': `unshare -Urm sh -c 'mkdir -p m && mount --bind . m && echo x > m/.git/hooks/escaped && echo ESCAPED'; rmdir m`,
  'remount in its own namespaces': `unshare -Urm sh -c 'mount -o remount,rw,bind / && echo x > "$OUT/escaped"'`,
  'go through the root of init': 'echo x > "/proc/1/root$OUT/escaped"',
  'signal processes outside': 'kill -0 "$GATE" && echo ESCAPED',
  '[15.40] read the environment of the gateway': 'cat "/proc/$GATE/environ" && echo ESCAPED',
  'see processes outside': 'ls -d /proc/[0-9]* | wc -l | { read n; [ "$n" -lt 15 ] || echo ESCAPED; }',
  'make a device': 'mknod dev b 8 0 && echo ESCAPED',
  'write a hook': 'echo x > .git/hooks/escaped',
  'change the git config': 'git config core.fsmonitor touch && echo ESCAPED; echo x >> .git/config',
  'replace the git config': 'echo x > c && mv -f c .git/config && echo ESCAPED; rm -f c',
  'rename .git': 'mv .git g && mkdir -p .git/hooks && echo x > .git/hooks/escaped && echo ESCAPED',
  'remove hooks': 'rm -rf .git/hooks && echo ESCAPED; rmdir .git/hooks && echo ESCAPED',
  'rename hooks': 'mv .git/hooks .git/h && echo ESCAPED',
  'replace .git with a link': 'rm -rf .git; ln -sT "$OUT" .git && echo ESCAPED',
  'write an agent configuration': 'mkdir -p .claude; echo x > .claude/settings.json && echo ESCAPED',
  'replace an agent configuration':
    'echo x > s; mkdir -p .claude; mv -f s .claude/settings.json && echo ESCAPED; rm -f s',
  'rename the folder of one':
    'mv .claude c && mkdir .claude && echo x > .claude/settings.json && echo ESCAPED',
  'change a configuration':
    'echo x > tidegate.yaml; echo x > .mcp.json; sed -i s/a/b/ .mcp.json && echo ESCAPED',
  'replace a configuration':
    'echo x > s; mv -f s .mcp.json && echo ESCAPED; rm -f s .mcp.json tidegate.yaml && echo ESCAPED',
  'create a folder that must not exist':
    'echo x > .codex/config.toml && echo ESCAPED; rmdir .codex && echo ESCAPED',
  'write to the folder of the gateway':
    'mkdir -p .tidegate/tools && echo x > .tidegate/tools/a.tool.mjs && echo ESCAPED',
  'read the state of the gateway': 'cat "$STATE/secret" && echo ESCAPED',
  'talk to a socket of the system': `python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ["SOCKET"])' && echo ESCAPED`,
  'trace a process outside': 'cat "/proc/$GATE/environ" && echo ESCAPED',
  'become another user': 'setpriv --reuid 1 --clear-groups true && echo ESCAPED',
};

describe.skipIf(!hasBubblewrap)('the sandbox', () => {
  describe.each(isRoot ? [undefined, nobody] : [undefined])('of user %o', (user) => {
    let base: string;
    let server: Server;
    const socket = `/run/tidegate-test-${String(process.pid)}`;
    const at = (...names: readonly string[]) => join(base, ...names);

    beforeAll(async () => {
      base = realpathSync(mkdtempSync('/var/tmp/tidegate-sandbox-'));
      chmodSync(base, 0o755);
      for (const name of ['workspace/.git/hooks', 'outside', 'state'])
        mkdirSync(at(name), { recursive: true });
      writeFileSync(at('workspace', '.git', 'config'), '[core]\n');
      for (const name of ['.mcp.json', 'tidegate.yaml']) writeFileSync(at('workspace', name), 'as it was');
      writeFileSync(at('state', 'secret'), 'of the gate');
      if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, base]);
      server = createServer().listen(socket);
      await new Promise((resolve) => server.once('listening', resolve));
      chmodSync(socket, 0o777);
    });
    afterAll(() => {
      server.close();
      rmSync(base, { recursive: true, force: true });
    });

    it('blocks every attempt to escape', async () => {
      const setup = `OUT=${at('outside')} STATE=${at('state')} SOCKET=${socket} GATE=${String(process.pid)}`;
      const commands = Object.values(attempts).map((script) => ({
        command: `export ${setup}; ${script}`,
        timeoutMs: 20_000,
      }));
      const order = {
        root: at('workspace'),
        stateDir: at('state'),
        path: systemPath,
        protectedPaths,
        commands,
      };
      const answers = await driveShell(order, user);
      const escapes = Object.keys(attempts).filter((_name, index) => {
        const { result } = answers[index] ?? {};
        return result?.sandbox !== 'bubblewrap' || result.stdout.includes('ESCAPED');
      });
      expect(escapes).toEqual([]);
      expect(readdirSync(at('outside'))).toEqual([]);
      expect(readdirSync(at('workspace', '.git', 'hooks'))).toEqual([]);
      expect(readFileSync(at('workspace', '.git', 'config'), 'utf8')).toBe('[core]\n');
      expect(['/etc/escaped', '/usr/escaped'].filter((path) => existsSync(path))).toEqual([]);
      for (const name of ['.mcp.json', 'tidegate.yaml'])
        expect(readFileSync(at('workspace', name), 'utf8')).toBe('as it was');
      // Placeholders are gone, and nothing that was protected has come to be.
      expect(readdirSync(at('workspace'))).toEqual(['.git', '.mcp.json', 'tidegate.yaml']);
    });

    it('allows normal work', async () => {
      const commands = [
        'echo hello > file && mkdir -p a/b && mv file a/b/ && cat a/b/file',
        'echo kept > /tmp/between; mktemp >/dev/null && echo ok',
        'cat /tmp/between',
        'git init -q other && cd other && git config user.email a@b.c && git config user.name n && echo x > f && git add f && git commit -qm one && git log --oneline | wc -l; cd .. && rm -rf other a',
        'echo one | tee /dev/stderr; echo two > /dev/stdout; getent hosts localhost',
      ].map((command) => ({ command, timeoutMs: 20_000 }));
      const order = {
        root: at('workspace'),
        stateDir: at('state'),
        path: systemPath,
        protectedPaths,
        commands,
      };
      const results = (await driveShell(order, user)).map(({ result }) => [
        result.exitCode,
        result.stdout.split('\n')[0],
      ]);
      expect(results).toEqual([
        [0, 'hello'],
        [0, 'ok'],
        [0, 'kept'],
        [0, '1'],
        [0, 'one'],
      ]);
    });

    it('control: without it the same attempts succeed', async () => {
      const names = [
        'write beside the workspace',
        'write a hook',
        'rename .git',
        'read the state of the gateway',
        'see processes outside',
        'talk to a socket of the system',
        // This process belongs to root where the suite runs as root: another user cannot read it anyway.
        ...(user === undefined ? ['[15.40] read the environment of the gateway'] : []),
      ];
      const folder = at('bin');
      mkdirSync(folder);
      writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n');
      chmodSync(join(folder, 'bwrap'), 0o755);
      const setup = `OUT=${at('outside')} STATE=${at('state')} SOCKET=${socket} GATE=${String(process.pid)}`;
      const commands = names.map((name) => ({
        command: `export ${setup}; ${attempts[name] ?? ''}`,
        timeoutMs: 20_000,
      }));
      const path = `${folder}:${systemPath}`;
      const answers = await driveShell(
        { root: at('workspace'), stateDir: at('state'), path, protectedPaths, commands },
        user,
      );
      expect(answers.map(({ result }) => result.sandbox)).toEqual(names.map(() => 'none'));
      expect(existsSync(at('outside', 'escaped'))).toBe(true);
      expect(existsSync(at('workspace', 'g', 'hooks', 'escaped'))).toBe(true);
      expect(answers.slice(2).map(({ result }) => result.stdout.includes('ESCAPED'))).toEqual(
        names.slice(2).map(() => true),
      );
    });
  });

  it('lets a worktree commit to its repository elsewhere, whose hooks and config cannot be changed', async () => {
    const shell = await openTestShell({ sandbox: 'bubblewrap' });
    const main = join(shell.outside, 'main');
    mkdirSync(main);
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=a@b.c', ...args], {
        cwd: main,
        encoding: 'utf8',
      });
    git('init', '-q');
    git('commit', '-qm', 'one', '--allow-empty');
    rmSync(shell.root, { recursive: true });
    git('worktree', 'add', '-q', shell.root);
    const commit = 'git -c user.name=n -c user.email=a@b.c commit -qm two --allow-empty';
    expect(await shell.run(`${commit} && git log --oneline | wc -l`)).toMatchObject({
      stdout: '2\n',
      exitCode: 0,
    });
    const hooks = join(main, '.git', 'hooks');
    const before = [readdirSync(hooks), readFileSync(join(main, '.git', 'config'), 'utf8')];
    await shell.run(
      `echo x > ${hooks}/escaped; git config a.b c; mv ${main}/.git ${main}/g; mv ${hooks} ${hooks}2`,
    );
    await shell.run(`echo x > ${main}/escaped; echo "gitdir: ${shell.outside}" > .git; rm .git`);
    expect([readdirSync(hooks), readFileSync(join(main, '.git', 'config'), 'utf8')]).toEqual(before);
    expect(existsSync(join(main, 'escaped'))).toBe(false);
    expect(readFileSync(join(shell.root, '.git'), 'utf8')).toContain(join(main, '.git', 'worktrees'));
    await shell.close();
  });

  it('cannot prevent a missing configuration file from being created, but reports it', async () => {
    const shell = await openTestShell({ sandbox: 'bubblewrap' });
    expect((await shell.run('ls -A')).createdPaths).toEqual([]);
    const result = await shell.run('echo x > opencode.json; mkdir -p .vscode; echo x > .vscode/tasks.json');
    expect([...result.createdPaths].sort()).toEqual(['.vscode/tasks.json', 'opencode.json']);
    const again = await shell.run('echo y > opencode.json; cat opencode.json');
    expect([again.stdout, again.createdPaths]).toEqual(['x\n', []]);
    await shell.close();
  });

  it('does not warn about changes by another program in a folder that it protects', async () => {
    const shell = await openTestShell({ sandbox: 'bubblewrap' });
    mkdirSync(join(shell.root, '.claude'));
    writeFileSync(join(shell.root, '.claude', 'settings.json'), '{}');
    const running = shell.run('touch begun; until test -e go; do sleep 0.1; done');
    await vi.waitUntil(() => existsSync(join(shell.root, 'begun')), { timeout: 10_000 });
    writeFileSync(join(shell.root, '.claude', 'settings.local.json'), '{}');
    writeFileSync(join(shell.root, '.gemini', 'settings.json'), '{}');
    writeFileSync(join(shell.root, 'go'), '');
    expect(await running).toMatchObject({ createdPaths: [], changedPaths: [], exitCode: 0 });
    expect(readdirSync(join(shell.root, '.gemini'))).toEqual(['settings.json']);
    await shell.close();
  });

  describe('controls for its arguments', () => {
    let base: string;
    beforeEach(() => {
      base = realpathSync(mkdtempSync('/var/tmp/tidegate-control-'));
      mkdirSync(join(base, 'workspace', '.git', 'hooks'), { recursive: true });
    });
    afterEach(() => rmSync(base, { recursive: true, force: true }));

    it('a read-only bind of hooks alone can be bypassed by renaming its parent', () => {
      const workspace = join(base, 'workspace');
      const hooks = join(workspace, '.git', 'hooks');
      const args = [
        '--unshare-user',
        '--cap-drop',
        'ALL',
        '--ro-bind',
        '/',
        '/',
        '--bind',
        workspace,
        workspace,
      ];
      const script = `cd ${workspace} && mv .git g && mkdir -p .git/hooks && echo x > .git/hooks/escaped`;
      expect(spawnSync(bubblewrap, [...args, '--ro-bind', hooks, hooks, 'sh', '-c', script]).status).toBe(0);
      expect(existsSync(join(hooks, 'escaped'))).toBe(true);
    });

    it.skipIf(!isRoot)('as root, without dropped capabilities, a remount opens everything', () => {
      const script = `mount -o remount,rw,bind / && echo x > ${base}/escaped`;
      expect(spawnSync(bubblewrap, ['--ro-bind', '/', '/', 'sh', '-c', script]).status).toBe(0);
      expect(existsSync(join(base, 'escaped'))).toBe(true);
    });
  });
});

describe.skipIf(!hasProc)('choosing the sandbox', () => {
  let shell: TestShell | undefined;
  afterEach(() => shell?.close());

  const fake = (folder: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\ntouch ${folder}/used\nexit 42\n`);
    chmodSync(join(folder, 'bwrap'), 0o755);
  };

  it.each([
    ['in the workspace', (root: string) => join(root, 'bin')],
    ['in a relative entry', () => 'bin'],
    ['in the empty entry', () => ''],
  ])('does not use a bwrap %s', async (_name, entry) => {
    let where = '';
    shell = await openTestShell({
      sandbox: 'bubblewrap',
      path: (root) => {
        where = join(root, 'bin');
        fake(where);
        return `${entry(root)}:${systemPath}`;
      },
    });
    const result = await shell.run('true');
    expect([result.sandbox, existsSync(join(where, 'used'))]).toEqual([
      hasBubblewrap ? 'bubblewrap' : 'none',
      false,
    ]);
  });

  it('does not use one outside that is a link into the workspace', async () => {
    shell = await openTestShell({
      sandbox: 'bubblewrap',
      path: (root) => {
        fake(join(root, 'bin'));
        const outer = join(root, '..', 'outer');
        execFileSync('ln', ['-s', join(root, 'bin'), outer]);
        return `${outer}:${systemPath}`;
      },
    });
    await shell.run('true');
    expect(existsSync(join(shell.root, 'bin', 'used'))).toBe(false);
  });

  it('uses none, and results and log name protected files that were created, changed or removed', async () => {
    shell = await openTestShell({ sandbox: 'none' });
    for (const name of ['.mcp.json', 'tidegate.yaml']) writeFileSync(join(shell.root, name), 'as it was');
    expect(await shell.run('ls; git --version; echo x > file; mkdir -p .claude')).toMatchObject({
      createdPaths: [],
      changedPaths: [],
    });
    const script =
      'echo x > .envrc; echo x > .claude/settings.json; printf x > .git/hooks/pre-commit; echo x >> .git/config; echo as it was > .mcp.json; rm tidegate.yaml';
    const { createdPaths, changedPaths, undonePaths } = await shell.run(script);
    expect([...createdPaths].sort()).toEqual(['.claude/settings.json', '.envrc', '.git/hooks/pre-commit']);
    expect([...changedPaths].sort()).toEqual(['.git/config', '.mcp.json', 'tidegate.yaml']);
    expect(undonePaths).toEqual([]);
    expect(shell.lines.join()).toContain('protected files were created: ');
    expect(shell.lines.join()).toContain('.git/hooks/pre-commit');
    const session = await shell.as('session');
    const { id } = await session.start({ command: 'echo x > crush.json' });
    await vi.waitUntil(async () => (await session.poll(id)).state === 'finished', { timeout: 10_000 });
    expect((await session.poll(id)).createdPaths).toEqual(['crush.json']);
  });

  it('uses none if the test fails, and every result and the log say so', async () => {
    shell = await openTestShell({ sandbox: 'none' });
    expect((await shell.run('exit 3')).sandbox).toBe('none');
    const session = await shell.as('session');
    const { id, sandbox } = await session.start({ command: 'sleep 30' });
    expect([sandbox, (await session.poll(id)).sandbox, (await session.stop(id)).sandbox]).toEqual([
      'none',
      'none',
      'none',
    ]);
    expect(shell.lines.join()).toContain('Commands run without a sandbox');
    expect(shell.lines.join()).toContain('no namespaces here');
  });

  it.skipIf(!hasBubblewrap)('tests again a minute after a failed test', async () => {
    let now = 0;
    let broken = '';
    shell = await openTestShell({
      sandbox: 'bubblewrap',
      now: () => now,
      path: (root) => {
        broken = join(root, '..', 'broken');
        fake(broken);
        writeFileSync(join(broken, 'bwrap'), '#!/bin/sh\nexit 1\n');
        return `${broken}:${systemPath}`;
      },
    });
    expect((await shell.run('true')).sandbox).toBe('none');
    rmSync(broken, { recursive: true });
    now = 59_000;
    expect((await shell.run('true')).sandbox).toBe('none');
    now = 60_000;
    expect((await shell.run('true')).sandbox).toBe('bubblewrap');
  });

  it('uses none if there is no bwrap', async () => {
    shell = await openTestShell({ sandbox: 'bubblewrap', path: () => '/nowhere' });
    expect((await shell.run('true')).sandbox).toBe('none');
  });

  it.skipIf(!hasBubblewrap)(
    'does not fall back if a workspace makes it fail: the command does not run',
    async () => {
      const base = realpathSync(mkdtempSync('/var/tmp/tidegate-fall-'));
      const folder = join(base, 'bin');
      mkdirSync(folder);
      // Works in the trial, and fails where a workspace is mounted.
      const script = `#!/bin/sh\ncase "$*" in *workspace*) echo "bwrap: no" >&2; exit 1 ;; esac\nexec ${bubblewrap} "$@"\n`;
      writeFileSync(join(folder, 'bwrap'), script);
      chmodSync(join(folder, 'bwrap'), 0o755);
      shell = await openTestShell({ sandbox: 'bubblewrap', path: () => `${folder}:${systemPath}` });
      await expect(shell.run('touch ran')).rejects.toMatchObject({ facts: { reason: 'sandbox_failed' } });
      expect(existsSync(join(shell.root, 'ran'))).toBe(false);
      rmSync(base, { recursive: true });
    },
  );
});

describe.skipIf(!hasProc).each(['bubblewrap', 'none'] as const)('the environment, sandbox %s', (sandbox) => {
  it('contains nothing from the gateway', async () => {
    process.env['CANARY_TOKEN'] = 'canary-of-the-gate';
    const shell = await openTestShell({ sandbox, env: { GIVEN: 'by the operator', TIDEGATE_SECRET: 'x' } });
    const { stdout } = await shell.run('env; cat /proc/self/environ');
    expect(stdout).not.toContain('canary-of-the-gate');
    expect(stdout).not.toContain('TIDEGATE_SECRET');
    expect(stdout).toContain('GIVEN=by the operator');
    delete process.env['CANARY_TOKEN'];
    await shell.close();
  });
});
