/** Mount points protect files only where nobody can leave the mount namespace, and only if the gateway can read them. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { openOwnPlace, type OwnPlace } from '../support/own-place.js';
import { hasProc } from '../support/proc.js';
import { protectedPaths, systemPath } from '../support/shell.js';
import { driveShell } from '../support/shell-driver.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** Opens the folder, leaves every namespace in which something is mounted in it, and renames there. */
const leave = `
import ctypes, os, sys
lib = ctypes.CDLL(None, use_errno=True)
def must(code):
    if code < 0:
        print('REFUSED', os.strerror(ctypes.get_errno()))
        sys.exit(1)
folder = os.open('.', os.O_RDONLY)
must(lib.unshare(0x10000000 | 0x00020000))
os.makedirs(sys.argv[1] + '/old', exist_ok=True)
base = sys.argv[1].encode()
must(lib.mount(None, b'/', None, 0x4000 | 0x40000, None))
must(lib.mount(base, base, None, 0x1000, None))
os.chdir(base)
must(lib.syscall(155, b'.', b'old'))
must(lib.umount2(b'/old', 2))
for old, new in zip(sys.argv[2::2], sys.argv[3::2]):
    os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
print('RENAMED')
`;

/** A lease that nobody else has: until it is given up, the file can't be opened. */
const lease = `
import fcntl, os, signal, sys, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = os.open(sys.argv[1], os.O_RDONLY)
try:
    fcntl.fcntl(file, 1024, fcntl.F_WRLCK)
    print('LEASED', flush=True)
except OSError as error:
    print('REFUSED', error, flush=True)
time.sleep(float(sys.argv[2]))
`;

describe.skipIf(!hasBubblewrap || process.getuid?.() !== 0)('a user who is not root', () => {
  const nobody = { uid: 65534, gid: 65534 };

  it('[15.34] keeps the protection of hooks when a command makes .git inaccessible, for later commands too', async () => {
    const base = realpathSync(mkdtempSync('/var/tmp/tidegate-closed-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const root = join(base, 'workspace');
    for (const folder of [root, join(base, 'state')]) mkdirSync(folder);
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', ['config', 'core.hooksPath', '.githooks'], { cwd: root });
    mkdirSync(join(root, '.githooks'));
    writeFileSync(join(root, '.githooks', 'pre-commit'), 'good');
    execFileSync('chown', ['-R', '65534:65534', base]);
    const scripts = [
      'echo control > a && chmod 000 .git && ls .git',
      'echo evil > .githooks/pre-commit',
      'chmod 755 .git; echo evil > .githooks/pre-commit',
      'git status --short',
    ];
    const order = {
      ...{ root, stateDir: join(base, 'state'), path: systemPath, protectedPaths },
      commands: scripts.map((command) => ({ command, timeoutMs: 20_000 })),
    };
    const answers = await driveShell(order, nobody);
    // Control: to the command itself the folder was closed.
    expect(answers[0]?.result.stderr).toContain('Permission denied');
    expect(answers[0]?.result.changedPaths).toContain('.git');
    for (const { result } of answers.slice(1, 3)) expect(result.stderr).toContain('Read-only file system');
    expect(answers[3]?.result.exitCode).toBe(0);
    expect(readFileSync(join(root, '.githooks', 'pre-commit'), 'utf8')).toBe('good');
  });
});

/** Outside the sandbox, where nothing refuses leases. */
function holdLease(file: string) {
  const child = spawn('python3', ['-c', lease, file, '60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => {
      if (text.includes('LEASED')) resolve();
    });
  });
  return { ready, end: () => void child.kill('SIGKILL') };
}

describe.skipIf(!hasBubblewrap || process.arch !== 'x64')('protected files of a workspace', () => {
  let place: OwnPlace;
  let agent: StdioAgent;

  const open = async (config: object = {}): Promise<void> => {
    place = await openOwnPlace({
      state: 'inside',
      config: { builtins: ['*'], ...config },
      files: { 'leave.py': leave, 'lease.py': lease },
    });
    const git = (...args: readonly string[]) =>
      void execFileSync('git', args, { cwd: place.workspace, env: place.env, stdio: 'pipe' });
    git('init', '-q');
    git('config', 'core.hooksPath', '.githooks');
    mkdirSync(place.at('.githooks'));
    writeFileSync(place.at('.githooks', 'pre-commit'), '#!/bin/sh\n');
    chmodSync(place.at('.githooks', 'pre-commit'), 0o755);
    agent = await openStdioAgent(place);
  };
  afterEach(async () => {
    await agent.close();
    place.close();
  });

  it.each([{}, { shell: { unix_sockets: true } }])(
    '[15.1] [15.34] cannot be moved from a namespace without the mounts: %o',
    async (config) => {
      await open(config);
      const { text, structured } = await agent.call('Bash', {
        command: 'python3 leave.py /tmp/r .local moved .git/config .git/c .githooks h',
      });
      expect(structured['sandbox']).toBe('bubblewrap');
      expect(text).toContain('REFUSED Operation not permitted');
      for (const name of ['moved', 'h', '.git/c']) expect(existsSync(place.at(name))).toBe(false);
      expect(existsSync(join(place.stateDir, 'trust.json'))).toBe(true);
    },
  );

  it('control: such a namespace can move mount points of a sandbox without the filter', async () => {
    await open();
    mkdirSync(place.at('kept'));
    const mounts = ['--ro-bind', '/', '/', '--tmpfs', '/tmp', '--bind', place.workspace, place.workspace];
    const kept = ['--ro-bind', place.at('kept'), place.at('kept'), '--chdir', place.workspace];
    const bare = ['--unshare-user', '--cap-drop', 'ALL', ...mounts, ...kept, '--'];
    const run = (command: string) => spawnSync('/usr/bin/bwrap', [...bare, 'sh', '-c', command]);
    expect(String(run('mv kept moved').stderr)).toContain('busy');
    expect(String(run('python3 leave.py /tmp/r kept moved').stdout)).toContain('RENAMED');
    expect(existsSync(place.at('moved'))).toBe(true);
  });

  it('[15.34] cannot be hidden from the gateway by a lease', async () => {
    await open();
    const { structured } = await agent.call('Bash', {
      command: 'python3 lease.py .git/config 20',
      run_in_background: true,
    });
    const bash_id = String(structured['background_id']);
    await expect
      .poll(async () => (await agent.call('BashOutput', { bash_id })).text, { timeout: 15_000 })
      .toContain('REFUSED');
    const write = await agent.call('Write', { file_path: '.githooks/pre-push', content: 'evil' });
    expect(write.text).toContain('protected');
    await agent.call('Bash', { command: 'echo evil >> .githooks/pre-commit' });
    expect(readFileSync(place.at('.githooks', 'pre-commit'), 'utf8')).toBe('#!/bin/sh\n');
  });

  it('[15.34] cannot be written while the git configuration is unreadable', async () => {
    await open();
    const holder = holdLease(place.at('.git', 'config'));
    try {
      await holder.ready;
      const write = await agent.call('Write', { file_path: '.githooks/pre-push', content: 'evil' });
      expect(write.isError).toBe(true);
      expect(existsSync(place.at('.githooks', 'pre-push'))).toBe(false);
      const bash = await agent.call('Bash', { command: 'echo evil >> .githooks/pre-commit' });
      expect(bash.isError).toBe(true);
      expect(readFileSync(place.at('.githooks', 'pre-commit'), 'utf8')).toBe('#!/bin/sh\n');
    } finally {
      holder.end();
    }
  });
});
