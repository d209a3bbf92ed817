import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTrust, type Trust } from '../trust.js';
import { type LocatedPlugin, locatePlugins } from './locate.js';
import { stillTrusted } from './standing.js';
import { openPluginSwitches } from './switches.js';

let root = '';
let trust: Trust;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tg-command-'));
  mkdirSync(join(root, 'state'), { mode: 0o700 });
  trust = openTrust(join(root, 'state'));
  write('bin/tool', '#!/bin/sh\n', root);
  chmodSync(join(root, 'bin/tool'), 0o755);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const workspace = (): string => join(root, 'ws');

function write(name: string, text: string, folder = workspace()): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

async function locate(entry: object): Promise<LocatedPlugin> {
  write('.tidegate/plugins.yaml', JSON.stringify({ plugins: { echo: entry } }));
  const { plugins } = await locatePlugins({
    workspace: workspace(),
    environment: { HOME: join(root, 'home'), PATH: join(root, 'bin') },
    version: '0.1.0',
    trust,
    switches: openPluginSwitches(join(root, 'state')),
    hashes: 'all',
  });
  const [plugin] = plugins;
  if (plugin === undefined) throw new Error('none found');
  return plugin;
}

async function trusted(entry: object): Promise<LocatedPlugin> {
  const { record } = await locate(entry);
  if (record !== undefined) trust.record(record.file, record.sha256);
  const plugin = await locate(entry);
  expect([plugin.standing, await stillTrusted(plugin, trust)]).toEqual(['trusted', undefined]);
  return plugin;
}

const words = (...args: string[]): object => ({ command: ['tool', ...args] });

describe('the files that a command names', () => {
  it.each<[string, object, string]>([
    ['a name without its ending', words('./lib'), 'lib.js'],
    ['the same beside the list', words('./lib'), '.tidegate/lib.js'],
    ['a bare name', words('lib'), 'lib.mjs'],
    ['a folder', words('./dir'), 'dir/index.js'],
    ['something deep in a folder', words('./dir'), 'dir/a/b/c.txt'],
    ['the workspace as a program', words('.'), 'index.js'],
    ['a flag', words('--import=./hook.mjs', 'x'), 'hook.mjs'],
    ['a flag beside the list', words('--import=./hook.mjs', 'x'), '.tidegate/hook.mjs'],
    ['a flag without a sign', words('-I./lib', 'x'), 'lib/a.pm'],
    ['a line for a shell', words('-c', 'exec node ./run.mjs --fast'), 'run.mjs'],
    ['one of a list', words('-cp', 'a.jar:./b.jar'), 'b.jar'],
    ['a variable of the loader', { ...words(), env: { NODE_OPTIONS: '--import=./h.mjs' } }, 'h.mjs'],
    ['a library', { ...words(), env: { LD_PRELOAD: './x.so' } }, 'x.so'],
    ['a folder of a variable', { ...words(), env: { PYTHONPATH: '/usr/lib:./py' } }, 'py/site.py'],
  ])('are trusted with it: %s', async (_what, entry, file) => {
    write(file, '1');
    const plugin = await trusted(entry);
    write(file, '2');
    expect(await stillTrusted(plugin, trust)).toContain('CHECKSUM_MISMATCH');
    expect((await locate(entry)).standing).toBe('changed');
    write(file, '1');
    expect((await locate(entry)).standing).toBe('trusted');
  });

  it.each([
    ['lib', './lib'],
    ['lib.js', './lib'],
    ['lib/index.js', './lib'],
    ['hook.mjs', '--import=./hook.mjs'],
  ])('are looked up again: %s is found for %s', async (file, argument) => {
    const plugin = await trusted(words(argument));
    write(file, '1');
    expect(await stillTrusted(plugin, trust)).toContain('CHECKSUM_MISMATCH');
    expect((await locate(words(argument))).standing).toBe('changed');
  });

  it('are looked up in the PATH of the plugin, and started as found', async () => {
    const entry = { ...words(), env: { PATH: `./bin:${join(root, 'bin')}` } };
    const plugin = await trusted(entry);
    expect(plugin.start).toMatchObject({ command: join(root, 'bin', 'tool') });
    write('bin/tool', '#!/bin/sh\nexit 1\n');
    expect(await stillTrusted(plugin, trust)).toContain('CHECKSUM_MISMATCH');
    chmodSync(join(workspace(), 'bin/tool'), 0o755);
    expect(await locate(entry)).toMatchObject({
      standing: 'changed',
      start: { command: join(workspace(), 'bin', 'tool') },
    });
  });

  it('include a program from PATH', async () => {
    const plugin = await trusted(words());
    write('bin/tool', '#!/bin/sh\n#\n', root);
    expect(await stillTrusted(plugin, trust)).toContain('CHECKSUM_MISMATCH');
    expect((await locate(words())).standing).toBe('changed');
  });

  it('do not include the rest of the workspace', async () => {
    await trusted(words('.', 'serve'));
    write('notes.txt', '1');
    expect((await locate(words('.', 'serve'))).standing).toBe('trusted');
  });

  it('cannot be trusted if they are too large or point elsewhere', async () => {
    write('dir/big', '');
    truncateSync(join(workspace(), 'dir/big'), 2 ** 30 + 1);
    expect(await locate(words('./dir'))).toMatchObject({ standing: 'broken', files: [] });
    rmSync(join(workspace(), 'dir/big'));
    symlinkSync('/etc/passwd', join(workspace(), 'dir/out'));
    expect((await locate(words('./dir'))).problems.at(-1)?.message).toContain('points outside it');
  });
});
