import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/gate.js';
import { openOwnPlace, type OwnPlace, type OwnPlaceOptions, textOf } from '../support/own-place.js';
import { runGate } from '../support/run-program.js';
import { openSdkClient, type SdkClient } from '../support/sdk-clients.js';
import { openStdioAgent } from '../support/stdio-agent.js';

// Where what is Tidegate's own cannot be kept from agents, nothing starts, or Bash is unavailable and says why.

let place: OwnPlace;
afterEach(() => place.close());

async function open(options: OwnPlaceOptions): Promise<OwnPlace> {
  place = await openOwnPlace(options);
  return place;
}

/** Over stdio, as agents start the program. */
function stdioClient(...args: readonly string[]): Promise<SdkClient> {
  const kind = { sdk: 'v1', mode: 'legacy', protocol: 'legacy' } as const;
  return openSdkClient({ kind, wire: 'stdio', place, gate: undefined as never, args, can: [] });
}

/** A PATH whose bwrap does not work. */
function withoutSandbox(): Readonly<Record<string, string>> {
  const folder = '/var/tmp/tidegate-own-broken';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(folder, 'bwrap'), 0o755);
  return { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
}

describe('the start', () => {
  it('[15.1] is refused if the workspace is inside the state directory', async () => {
    await open({ state: 'outside' });
    const env = { ...place.env, TIDEGATE_HOME: place.directory };
    chmodSync(place.directory, 0o700);
    const ran = await runGate(place, ['mcp'], { env, input: '' });
    expect([ran.status === 0, ran.stderr]).toEqual([false, expect.stringContaining('config.root_in_state')]);
    expect(ran.stderr).toContain('TIDEGATE_HOME');
    // The control: beside each other they are fine.
    expect((await runGate(place, ['mcp'], { input: '' })).status).toBe(0);
  });

  it('[15.2] is refused if a link inside a root points to the store', async () => {
    await open({ state: 'outside', config: { store: { file: './data/rights.db' } } });
    for (const name of ['d2', '.d3']) mkdirSync(place.at(name));
    symlinkSync('d2', place.at('data'));
    for (const args of [['mcp'], ['grant', 'agent:ana', 'Read']]) {
      const ran = await runGate(place, args, { input: '' });
      expect([ran.status === 0, ran.stderr]).toEqual([false, expect.stringContaining('config.link_in_root')]);
      expect(ran.stderr).toContain('store.file');
    }
    expect((await runGate(place, ['doctor', '--only', 'sandbox'])).stdout).toContain(place.at('data'));
    // The control: a real folder is fine, and a command exchanges a link beside it.
    rmSync(place.at('data'));
    mkdirSync(place.at('data'));
    symlinkSync('d2', place.at('other'));
    const operator = await stdioClient();
    const command = 'ln -sfn .d3 other; mv data moved; ln -s .d3 data; true';
    await textOf(operator, 'Bash', { command });
    expect([readlinkSync(place.at('other')), lstatSync(place.at('data')).isDirectory()]).toEqual([
      '.d3',
      true,
    ]);
    await operator.close();
  });

  it('[15.1] is refused if a link inside a root points to the state directory', async () => {
    await open({ state: 'inside' });
    expect((await runGate(place, ['mcp'], { input: '' })).status).toBe(0);
    mkdirSync(place.at('dotfiles'));
    renameSync(place.at('.local'), place.at('dotfiles', 'local'));
    symlinkSync('dotfiles/local', place.at('.local'));
    const ran = await runGate(place, ['mcp'], { input: '' });
    expect([ran.status === 0, ran.stderr]).toEqual([false, expect.stringContaining('config.link_in_root')]);
    // A link outside of every root that leads to one inside counts too.
    const outside = join(place.directory, 'state');
    symlinkSync(place.at('.local', 'state', 'tidegate'), outside);
    const led = await runGate(place, ['mcp'], { env: { ...place.env, TIDEGATE_HOME: outside }, input: '' });
    expect(led.stderr).toContain('config.link_in_root');
  });

  it('[15.1] control: is allowed if the link is outside every root', async () => {
    await open({ state: 'outside' });
    const home = join(place.directory, 'home');
    renameSync(join(home, '.local'), join(home, 'local'));
    symlinkSync('local', join(home, '.local'));
    expect(await runGate(place, ['mcp'], { input: '' })).toMatchObject({ status: 0 });
  });

  it('[15.41] is refused if the log is a link, a pipe or a hard link', async () => {
    await open({ state: 'outside', config: { log: { file: './gate.log' } } });
    const victim = join(place.directory, 'bashrc');
    writeFileSync(victim, 'as it was');
    const log = place.at('gate.log');
    const puts = [
      () => symlinkSync(victim, log),
      () => symlinkSync(join(place.directory, 'nothing'), log),
      () => execFileSync('mkfifo', [log]),
      () => execFileSync('ln', [victim, log]),
    ];
    for (const put of puts) {
      rmSync(log, { force: true });
      put();
      const ran = await runGate(place, ['mcp'], { input: '' });
      expect([ran.status === 0, ran.stderr]).toEqual([false, expect.stringContaining('log.unsafe')]);
      expect(ran.stderr).toContain('log.file');
    }
    expect([readFileSync(victim, 'utf8'), existsSync(join(place.directory, 'nothing'))]).toEqual([
      'as it was',
      false,
    ]);
    rmSync(log, { force: true });
    mkdirSync(log);
    expect((await runGate(place, ['mcp'], { input: '' })).stderr).toContain('log.unwritable');
    // The control: what a plain append through the link would have done.
    rmSync(log, { recursive: true });
    symlinkSync(victim, log);
    writeFileSync(log, ', and more', { flag: 'a' });
    expect(readFileSync(victim, 'utf8')).toBe('as it was, and more');
    rmSync(log);
    expect((await runGate(place, ['mcp'], { input: '' })).status).toBe(0);
  });
});

describe('over stdio', () => {
  it('[15.1] [15.16] an agent sees neither state nor configuration; the operator sees the configuration', async () => {
    await open({ state: 'inside', config: { servers: { hidden_one: { command: 'true', enabled: false } } } });
    await runGate(place, ['token', 'list']);
    const agent = await stdioClient('--as', 'agent:mallory');
    const operator = await stdioClient();
    for (const client of [agent, operator]) {
      const file_path = '.local/state/tidegate/trust.json';
      expect(existsSync(place.at(file_path))).toBe(true);
      expect(await textOf(client, 'Read', { file_path })).toContain('does not exist');
    }
    expect(await textOf(agent, 'Read', { file_path: 'tidegate.yaml' })).toContain('does not exist');
    expect(await textOf(operator, 'Read', { file_path: 'tidegate.yaml' })).toContain('hidden_one');
    await Promise.all([agent.close(), operator.close()]);
  });
});

describe('without a sandbox', () => {
  const command = 'cat neighbour.txt';

  it('[15.1] the operator can run commands, and a principal with its own rights cannot', async () => {
    await open({ state: 'outside', env: withoutSandbox() });
    const operator = await stdioClient();
    expect(await textOf(operator, 'Bash', { command })).toContain('an ordinary file');
    await runGate(place, ['grant', 'agent:mallory', 'Bash']);
    const agent = await stdioClient('--as', 'agent:mallory');
    const refused = await textOf(agent, 'Bash', { command });
    expect(refused).toContain('only in a sandbox');
    expect(refused).toContain('bubblewrap');
    expect(refused).not.toContain('an ordinary file');
    const doctor = await runGate(place, ['doctor', '--only', 'sandbox']);
    expect(doctor.stdout).toContain('Bash is unavailable to principals other than you');
    await Promise.all([operator.close(), agent.close()]);
  });

  it('[15.1] commands are refused for everyone if private files are in the workspace', async () => {
    await open({ state: 'inside', env: withoutSandbox() });
    const operator = await stdioClient();
    expect(await textOf(operator, 'Bash', { command })).toContain('inside the workspace');
    const doctor = await runGate(place, ['doctor', '--only', 'sandbox']);
    expect(doctor.stdout).toContain('Bash is unavailable');
    await operator.close();
  });
});

it('[15.2] Bash is unavailable if the store is directly in a root, even with a sandbox', async () => {
  await open({ state: 'outside', config: { store: { file: './rights.db' } } });
  const operator = await stdioClient();
  const refused = await textOf(operator, 'Bash', { command: 'ls' });
  expect(refused).toContain('rights.db is directly in a workspace root');
  expect(refused).toContain('store.file');
  await operator.close();
});

it('[15.2] a store created while a command runs is absent for that command', async () => {
  await open({ state: 'outside', config: { store: { file: './deep/data/rights.db' } } });
  rmSync(place.at('deep'), { recursive: true, force: true });
  const operator = await stdioClient();
  const command =
    'touch begun; until test -e go; do sleep 0.1; done; cat plain/rights.db; ls -A deep/data; head -c 15 deep/data/rights.db; echo x > deep/data/rights.db; mv deep d; echo the-e""nd';
  const started = await textOf(operator, 'Bash', { command, run_in_background: true });
  const background_id = /bash_[0-9a-z]{8}/.exec(started)?.[0];
  await waitFor(
    () => existsSync(place.at('begun')),
    20_000,
    () => `the command did not begin: ${started}`,
  );
  expect((await runGate(place, ['grant', 'agent:ana', 'Read'])).status).toBe(0);
  expect(existsSync(place.at('deep', 'data', 'rights.db'))).toBe(true);
  // The control: a file that is not ours, made at the same moment, is seen.
  mkdirSync(place.at('plain'));
  writeFileSync(place.at('plain', 'rights.db'), 'of the neighbour');
  writeFileSync(place.at('go'), '');
  let said = '';
  await waitFor(
    async () => (said += await textOf(operator, 'BashOutput', { background_id })).includes('the-end'),
    20_000,
    () => `the command did not end: ${said}`,
  );
  expect(said).toContain('of the neighbour');
  expect(said).not.toMatch(/SQLite|rights\.db-/);
  expect(readFileSync(place.at('deep', 'data', 'rights.db'), 'latin1')).toMatch(/^SQLite format 3/);
  await operator.close();
});

describe('a root that contains the home folder', () => {
  it('[15.1] is reported by doctor, and no other root is', async () => {
    await open({ state: 'inside' });
    expect((await runGate(place, ['doctor', '--only', 'sandbox'])).stdout).toContain('your home folder');
    place.close();
    await open({ state: 'outside' });
    expect((await runGate(place, ['doctor', '--only', 'sandbox'])).stdout).not.toContain('your home folder');
  });
});

describe('Tidegate installed in the workspace', () => {
  const chunkOf = (folder: string) =>
    readdirSync(folder).find((name) => name.startsWith('grep.tool-')) ?? 'no chunk';

  it('[15.3] is read-only for file tools and sandboxed commands, and doctor says so', async () => {
    await open({ state: 'outside', config: { builtins: ['*'] } });
    const installed = install(place.at('node_modules'));
    const dist = join(installed, 'dist');
    const chunk = join(dist, 'chunks', chunkOf(join(dist, 'chunks')));
    const before = readFileSync(chunk, 'utf8');
    const own = join(dist, 'tidegate.js');
    expect((await runGate(place, ['grant', 'agent:x', '*'])).status).toBe(0);
    const agent = await openStdioAgent({ ...place, program: own }, '--as', 'agent:x');
    for (const file of [chunk, own, place.at('node_modules/zod/package.json'), join(installed, 'new.js')])
      expect(await agent.call('Write', { file_path: file, content: 'evil' })).toMatchObject({
        isError: true,
        text: expect.stringContaining('or Tidegate itself, loads code from there') as string,
      });
    const command = [
      `echo evil > ${chunk}`,
      `rm -f ${own}`,
      'mv node_modules moved',
      'mv node_modules/tidegate moved',
      'echo evil > node_modules/zod/package.json',
      'mkdir -p node_modules/other && echo fine > node_modules/other/index.js',
    ].join('; ');
    await agent.call('Bash', { command });
    expect([readFileSync(chunk, 'utf8') === before, existsSync(own)]).toEqual([true, true]);
    // The control: everything else of the same folder can be written, and the same program is readable.
    expect(readFileSync(place.at('node_modules/other/index.js'), 'utf8')).toBe('fine\n');
    expect((await agent.call('Read', { file_path: chunk, limit: 1 })).isError).toBe(false);
    await agent.close();
    const doctor = await runGate(place, ['doctor', '--only', 'sandbox'], { program: own });
    expect(doctor.stdout).toContain(installed);
    expect((await runGate(place, ['doctor', '--only', 'sandbox'])).stdout).not.toContain(installed);
  });

  it('[15.3] control: can be written if another Tidegate serves the workspace', async () => {
    await open({ state: 'outside', config: { builtins: ['*'] } });
    const own = join(install(place.at('node_modules')), 'dist', 'tidegate.js');
    const agent = await openStdioAgent(place);
    await agent.call('Read', { file_path: own });
    expect((await agent.call('Write', { file_path: own, content: 'evil' })).isError).toBe(false);
    await agent.close();
  });
});

/** As `npm install tidegate` would. */
function install(modules: string): string {
  const folder = join(modules, 'tidegate');
  const from = fileURLToPath(new URL('../..', import.meta.url));
  cpSync(join(from, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(from, 'package.json'), join(folder, 'package.json'));
  for (const name of ['zod', 'jiti', 'libsql', '@libsql', '@neon-rs', 'detect-libc', '@vscode'])
    cpSync(join(from, 'node_modules', name), join(modules, name), { recursive: true });
  return folder;
}
