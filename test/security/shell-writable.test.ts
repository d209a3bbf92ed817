import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOwnPaths } from '../../src/services/own-paths/index.js';
import { openShell } from '../../src/services/shell/index.js';
import { createFakeExchange } from '../../src/testing/index.js';
import { endProcess, openPlace, spawnStdioGate } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';
import { openTestShell, protectedPaths, systemPath } from '../support/shell.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

interface BashData {
  readonly stdout: string;
  readonly stderr: string;
  readonly sandbox: string;
  readonly writable?: readonly string[];
  readonly not_writable?: readonly string[];
}

/** Not below /tmp, which is private to commands. */
function openHome(shell: object, folders: readonly string[] = []) {
  vi.stubEnv('TMPDIR', '/var/tmp');
  onTestFinished(() => void vi.unstubAllEnvs());
  const place = openPlace({ builtins: ['Bash'], shell }, { trusted: false });
  const home = join(realpathSync(place.directory), 'home');
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  onTestFinished(() => place.close());
  return { place, home };
}

async function open(shell: object, folders: readonly string[] = [], prepare?: (home: string) => void) {
  const { place, home } = openHome(shell, folders);
  prepare?.(home);
  place.trust();
  const client = openLineClient(spawnStdioGate(place));
  onTestFinished(() => endProcess(client.child));
  await client.initialize();
  const bash = async (command: string): Promise<BashData & { readonly text: string }> => {
    const { message } = await client.request('tools/call', { name: 'Bash', arguments: { command } }, 100_000);
    const { structuredContent, content } = message.result as unknown as {
      readonly structuredContent: BashData;
      readonly content: readonly { readonly text: string }[];
    };
    return { ...structuredContent, text: content[0]?.text ?? '' };
  };
  return { bash, place, home };
}

const configure = 'git config --global user.name someone; git config --global user.name';
const write =
  'mkdir -p ~/.cargo/registry && echo crate > ~/.cargo/registry/index; cat ~/.cargo/registry/index';

function gitHome(home: string): void {
  writeFileSync(join(home, '.config', 'git', 'config'), '');
}

describe.skipIf(!hasBubblewrap)('[16.25] `shell.writable`', () => {
  it('lets sandboxed commands write there, and the result says what is in effect', async () => {
    const writable = ['~/.cargo', '${HOME}/.config/git', '~/.m2'];
    const { bash, home } = await open({ writable }, ['.cargo', '.config/git'], gitHome);
    const cargo = await bash(write);
    expect(cargo).toMatchObject({
      stdout: 'crate\n',
      sandbox: 'bubblewrap',
      writable: [join(home, '.cargo'), join(home, '.config/git')],
      not_writable: [`${join(home, '.m2')} does not exist`],
    });
    expect(cargo.text).toContain(`writable: ${join(home, '.cargo')}, ${join(home, '.config/git')}`);
    expect(readFileSync(join(home, '.cargo/registry/index'), 'utf8')).toBe('crate\n');
    expect((await bash(configure)).stdout).toBe('someone\n');
    expect(readFileSync(join(home, '.config/git/config'), 'utf8')).toContain('name = someone');
    // What comes to be later is in force from then on.
    mkdirSync(join(home, '.m2'));
    expect((await bash('touch ~/.m2/made')).not_writable).toBeUndefined();
    expect(existsSync(join(home, '.m2/made'))).toBe(true);
  });

  it('control: without it both fail, and nothing else in the home can be written with it', async () => {
    const plain = await open({}, ['.cargo', '.config/git'], gitHome);
    expect((await plain.bash(write)).stdout).toBe('');
    expect((await plain.bash(configure)).stdout).toBe('');
    const { bash, home } = await open({ writable: ['~/.cargo'] }, ['.cargo', '.ssh']);
    await bash(
      'echo x > ~/.bashrc; echo x > ~/.ssh/authorized_keys; echo x > ~/.cargo/../other; mv ~/.cargo ~/.c',
    );
    for (const path of ['.bashrc', '.ssh/authorized_keys', 'other', '.c'])
      expect(existsSync(join(home, path))).toBe(false);
    expect(existsSync(join(home, '.cargo'))).toBe(true);
  });

  it('appears on the trust screen with the resolved folder', () => {
    const { place, home } = openHome({ writable: ['~/.cargo'] }, ['.cargo']);
    const { stdout } = place.run('trust', '--yes', place.configFile);
    expect(stdout).toMatch(/Changes a security setting\n {2}shell\n {4}writable {2}"~\/\.cargo" {2}\(/);
    expect(stdout).toContain(join(home, '.cargo'));
    expect(stdout).toContain('Sandboxed commands can change these folders');
  });

  it('doctor shows what is in effect, what is missing, and folders on your PATH', () => {
    const { place, home } = openHome({ writable: ['~/.cargo', '~/.m2'] }, ['.cargo/bin']);
    place.trust();
    const env = { ...place.env, PATH: `${place.env['PATH'] ?? ''}:${join(home, '.cargo/bin')}` };
    const program = join(import.meta.dirname, '../../dist/tidegate.js');
    const { stdout } = spawnSync(process.execPath, [program, 'doctor', '--only', 'sandbox', '--json'], {
      cwd: join(place.directory, 'workspace'),
      env,
      encoding: 'utf8',
    });
    expect(stdout).toContain(`writable outside the workspace: ${join(home, '.cargo')}`);
    expect(stdout).toContain(`${join(home, '.cargo/bin')} is on your PATH`);
    expect(stdout).toContain(`${join(home, '.m2')} does not exist`);
  });

  it.each([
    ['the whole disk', '/'],
    ['the home', '~'],
    ['a folder above the home', '~/..'],
    ['keys', '~/.ssh'],
    ['a file that shells run', '~/.bashrc'],
    ['a folder that holds files which programs run', '~/.config'],
    ['settings of an agent', '~/.claude'],
    ['below the settings of an agent', '~/.codex/sessions'],
    ['the state of Tidegate', '~/state'],
    ['below the state of Tidegate', '~/state/logs'],
    ['the settings of Tidegate', '~/.config/tidegate'],
    ['a folder above the default state folder', '~/.local'],
    ['the workspace', '.'],
    ['a folder of the workspace', './.git'],
    ['system settings', '/etc'],
    ['a folder with system programs', '/usr/local/bin'],
    ['sockets of the system', '/run/user'],
    ['a link to keys', '~/.cargo'],
  ])('refuses %s', (_title, path) => {
    const { place, home } = openHome({ writable: [path] }, ['.ssh', '.config', 'state', '.codex/sessions']);
    symlinkSync(join(home, '.ssh'), join(home, '.cargo'));
    const { status, stdout, stderr } = place.run('config', 'check', place.configFile);
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain('config.bad_value');
    expect(stdout + stderr).toMatch(/shell\.writable/);
    expect(place.run('trust', '--yes', place.configFile).status).not.toBe(0);
  });

  it('control: accepts a folder that nothing else depends on', () => {
    const { place } = openHome({ writable: ['~/.cargo', '~/.m2', '~/.config/git'] }, ['.cargo']);
    expect(place.run('config', 'check', place.configFile).status).toBe(0);
  });

  it('refuses a folder that is later replaced by a link, and says so', async () => {
    const { bash, home } = await open({ writable: ['~/.cargo'] }, ['.ssh']);
    symlinkSync(join(home, '.ssh'), join(home, '.cargo'));
    const { not_writable } = await bash('echo x > ~/.cargo/authorized_keys');
    expect(not_writable?.[0]).toContain('is a link');
    expect(existsSync(join(home, '.ssh/authorized_keys'))).toBe(false);
  });

  it('has no effect without a sandbox, and refuses a file', async () => {
    const { bash, home } = await open({ writable: ['~/settings'] }, [], (at) =>
      writeFileSync(join(at, 'settings'), ''),
    );
    expect((await bash('echo x > ~/settings')).not_writable?.[0]).toContain('is a file: use its folder');
    expect(readFileSync(join(home, 'settings'), 'utf8')).toBe('');
    const off = await open({ writable: ['~/.cargo'], sandbox: 'off' }, ['.cargo']);
    const { sandbox, writable } = await off.bash('true');
    expect([sandbox, writable]).toEqual(['none', undefined]);
  });
});

describe.skipIf(!hasBubblewrap)('[16.25] files of Tidegate inside a writable folder', () => {
  it('cannot be read, changed or moved away, even during another command', async () => {
    const shell = await openTestShell({ sandbox: 'bubblewrap' });
    onTestFinished(() => shell.close());
    const stateDir = join(shell.outside, 'tool', 'state');
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, 'trust.json'), 'secret');
    const service = openShell({
      roots: [shell.root],
      stateDir,
      processes: shell.processes,
      env: { PATH: systemPath },
      own: createOwnPaths({ roots: [shell.root], stateDir, files: [], governing: [], program: [] }),
      protectedPaths: () => protectedPaths,
      writable: [shell.outside],
    });
    onTestFinished(() => service.close());
    const session = await service.serve({
      id: 'session',
      principal: { kind: 'user', id: 'me', zone: 'local' },
      scope: 'connection',
      chain: [{ principal: { kind: 'user', id: 'me', zone: 'local' }, rights: 'all' }],
    });
    const { id } = await session.start({ command: 'sleep 30' });
    const attack = `cd ${shell.outside}; cat tool/state/trust.json; echo x > tool/state/trust.json; mv tool t; mv tool/state s; rm -rf tool; echo mine > tool/beside; cat tool/beside`;
    const { stdout, writable } = await session.run({ command: attack }, createFakeExchange());
    // Control: what lies beside it can be written.
    expect([stdout, writable]).toEqual(['mine\n', [shell.outside]]);
    expect(readFileSync(join(stateDir, 'trust.json'), 'utf8')).toBe('secret');
    await session.stop(id);
  });
});
