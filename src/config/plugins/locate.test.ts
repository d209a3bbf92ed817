import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTrust, type Trust } from '../trust.js';
import { digestOfFile } from '../started/digest.js';
import { type LocatedPlugin, locatePlugins } from './locate.js';
import { stillTrusted } from './standing.js';
import { openPluginSwitches, type PluginSwitches } from './switches.js';

let root = '';
let trust: Trust;
let switches: PluginSwitches;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tg-locate-'));
  mkdirSync(join(root, 'state'), { mode: 0o700 });
  trust = openTrust(join(root, 'state'));
  switches = openPluginSwitches(join(root, 'state'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const workspace = (): string => join(root, 'ws');
const manifest = { name: 'echo', version: '1.0.0', awf_version: '>=0.4.0', capabilities: ['operations'] };

function addFolder(more: object = {}, parent = join(workspace(), '.tidegate', 'plugins')): string {
  const folder = join(parent, 'awf-plugin-echo');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'plugin.yaml'), JSON.stringify({ ...manifest, ...more }));
  writeFileSync(join(folder, 'awf-plugin-echo'), '#!/bin/sh\n');
  chmodSync(join(folder, 'awf-plugin-echo'), 0o755);
  return folder;
}

function addList(plugins: object): string {
  mkdirSync(join(workspace(), '.tidegate'), { recursive: true });
  const file = join(workspace(), '.tidegate', 'plugins.yaml');
  writeFileSync(file, JSON.stringify({ plugins }));
  return file;
}

async function locate(hashes: 'trusted' | 'all' = 'all'): Promise<readonly LocatedPlugin[]> {
  const environment = { HOME: join(root, 'home') };
  const place = { workspace: workspace(), environment, version: '0.1.0', trust, switches, hashes };
  return (await locatePlugins(place)).plugins;
}

async function only(hashes?: 'trusted' | 'all'): Promise<LocatedPlugin> {
  const [plugin] = await locate(hashes);
  if (plugin === undefined) throw new Error('none found');
  return plugin;
}

function trustAll({ record }: LocatedPlugin): void {
  if (record !== undefined) trust.record(record.file, record.sha256);
}

describe('a plugin in a folder', () => {
  it('is new, then trusted, then changed', async () => {
    const folder = addFolder();
    const found = await only();
    expect(found).toMatchObject({ name: 'echo', standing: 'new', start: { cwd: workspace() } });
    trustAll(found);
    expect((await only('trusted')).standing).toBe('trusted');
    expect(await stillTrusted(found, trust)).toBeUndefined();
    writeFileSync(join(folder, 'lib.so'), 'x');
    expect((await only('trusted')).standing).toBe('changed');
    expect(await stillTrusted(found, trust)).toContain('CHECKSUM_MISMATCH');
  });

  it('is not read by a gateway that does not trust it', async () => {
    addFolder();
    const found = await only('trusted');
    expect(found.standing).toBe('new');
    expect(found.files.map(({ sha256 }) => sha256)).toEqual(['']);
    expect(await stillTrusted(found, trust)).toBeDefined();
  });

  it.each(['', 'version: 1.0.0', 'name: echo', '{"name": "echo"', '[1]', 'echo'])(
    'is reported as broken if its manifest is invalid: %s',
    async (text) => {
      const folder = addFolder();
      writeFileSync(join(folder, 'plugin.yaml'), text);
      const { standing, problems } = await only();
      expect(standing).toBe('broken');
      expect(problems.map(({ severity }) => severity)).toContain('error');
    },
  );

  it('cannot be trusted while it contains a link that points outside', async () => {
    const folder = addFolder();
    symlinkSync('/etc/passwd', join(folder, 'out'));
    const { standing, problems, files } = await only();
    expect([standing, files]).toEqual(['broken', []]);
    expect(problems.at(-1)?.message).toContain('points outside it');
  });

  it('needs an executable program', async () => {
    const folder = addFolder();
    chmodSync(join(folder, 'awf-plugin-echo'), 0o644);
    expect((await only()).problems.at(-1)?.message).toContain('not executable');
  });

  it('gets settings of the types that its manifest declares', async () => {
    const config = {
      port: { type: 'integer', default: 80 },
      debug: { type: 'boolean', default: true },
      mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
    };
    addFolder({ config });
    expect((await only()).config).toEqual({ port: 80, debug: true, mode: 'a' });
    addFolder({ config: { token: { required: true } } });
    expect(await only()).toMatchObject({ standing: 'broken' });
    addFolder({ config: { port: { type: 'integer', default: 'many' } } });
    expect((await only()).problems[0]?.message).toContain('must have the type integer');
  });

  it('can be next to files, unrelated folders and dangling links', async () => {
    const folder = addFolder();
    writeFileSync(join(folder, '..', 'plugins.json'), '{}');
    mkdirSync(join(folder, '..', 'empty'));
    symlinkSync(join(root, 'nowhere'), join(folder, '..', 'gone'));
    expect((await locate()).map(({ name }) => name)).toEqual(['echo']);
    rmSync(join(workspace(), '.tidegate'), { recursive: true });
    writeFileSync(join(workspace(), '.tidegate'), 'a file');
    expect(await locate()).toEqual([]);
  });

  it('stays disabled as long as the operator disables it', async () => {
    addFolder();
    const { place } = await only();
    switches.turn(place, false);
    expect((await only()).isEnabled).toBe(false);
    switches.turn(place, true);
    expect((await only()).isEnabled).toBe(true);
    writeFileSync(join(root, 'state', 'plugins-off.json'), 'garbage');
    expect((await only()).isEnabled).toBe(false);
  });
});

describe('the plugins.json of AWF', () => {
  const keep = (text: string): void => {
    const folder = join(root, 'home', '.local', 'share', 'awf', 'plugins');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'plugins.json'), text);
  };
  const config = { port: { type: 'integer', default: 80 } };

  it('applies only to plugins in the folders of AWF', async () => {
    keep(JSON.stringify({ echo: { enabled: false, config: { port: 8080, odd: {} }, disabled_at: 1 } }));
    addFolder({ config });
    expect(await only()).toMatchObject({ isEnabled: true, config: { port: 80 } });
    rmSync(join(workspace(), '.tidegate'), { recursive: true });
    addFolder({ config }, join(workspace(), '.awf', 'plugins'));
    expect(await only()).toMatchObject({
      isEnabled: false,
      offBy: expect.stringContaining('plugins.json') as string,
      config: { port: 8080 },
    });
  });

  it('never makes a plugin trusted, and is ignored if it cannot be read', async () => {
    addFolder({ config }, join(workspace(), '.awf', 'plugins'));
    keep(JSON.stringify({ echo: { enabled: true, checksum: 'x' } }));
    expect(await only()).toMatchObject({ isEnabled: true, standing: 'new' });
    for (const text of ['garbage', '[]', 'null', '{"echo": 1}', '{"echo": {"config": []}}']) {
      keep(text);
      expect(await only()).toMatchObject({ isEnabled: true, standing: 'new', config: { port: 80 } });
    }
  });
});

describe('a plugin in plugins.yaml', () => {
  it('requires trust in its entry together with the files it names', async () => {
    const folder = addFolder({}, join(root, 'vendor'));
    const list = addList({ echo: { path: folder } });
    const found = await only();
    expect(found.files.map(({ what }) => what)).toEqual([
      'its entry',
      'the program',
      'its manifest and what stands beside it',
    ]);
    expect(found.record?.file).toBe(`${list}#echo`);
    expect((await only('trusted')).standing).toBe('new');
    trustAll(found);
    expect((await only('trusted')).standing).toBe('trusted');
    addList({ echo: { path: folder, env: { A: 'b' } } });
    expect((await only('trusted')).standing).toBe('changed');
  });

  it('is not trusted by file records of older versions', async () => {
    const folder = addFolder({}, join(root, 'vendor'));
    const list = addList({ echo: { path: folder } });
    for (const { file, sha256 } of (await only()).files) trust.record(file, sha256);
    trust.record(list, await digestOfFile(list));
    expect((await only()).standing).not.toBe('trusted');
    expect(await stillTrusted(await only(), trust)).toBeDefined();
  });

  const standings = async (): Promise<object> =>
    Object.fromEntries((await locate('trusted')).map(({ name, standing }) => [name, standing]));

  it('is not affected by trust in another entry', async () => {
    const good = { type: 'mcp', command: ['tidegate', 'mcp'] };
    const others = {
      command: { type: 'mcp', command: ['node', '-e', 'x'] },
      grpc: { command: ['sh', '-c', 'x'] },
      url: { type: 'mcp', url: 'https://example.com/mcp' },
    };
    addList({ good, ...others });
    const untouched = { command: 'new', grpc: 'new', url: 'new' };
    for (const plugin of await locate()) if (plugin.name === 'good') trustAll(plugin);
    expect(await standings()).toEqual({ good: 'trusted', ...untouched });
    addList({ ...others, grpc: { command: ['sh', '-c', 'y'] }, good });
    expect(await standings()).toEqual({ good: 'trusted', ...untouched });
    for (const plugin of await locate()) trustAll(plugin);
    addList({ ...others, good });
    expect(await standings()).toEqual({
      good: 'trusted',
      command: 'trusted',
      grpc: 'changed',
      url: 'trusted',
    });
  });

  it('stays trusted when another plugin with the same program loses trust', async () => {
    addList({ a: { command: ['node', './plugin.mjs'] }, b: { command: ['node', './plugin.mjs'] } });
    writeFileSync(join(workspace(), '.tidegate', 'plugin.mjs'), '1');
    for (const plugin of await locate()) trustAll(plugin);
    trust.forget((await only()).place);
    expect(await standings()).toEqual({ a: 'new', b: 'trusted' });
  });

  it('does not make its folder trusted without the entry and its limits', async () => {
    addFolder();
    addList({ echo: { path: 'plugins/awf-plugin-echo', expose: ['safe'] } });
    trustAll(await only());
    expect(await standings()).toEqual({ echo: 'trusted' });
    addList({});
    expect(await standings()).toEqual({ echo: 'new' });
  });

  it('runs in the workspace, and resolves paths relative to plugins.yaml', async () => {
    addList({ echo: { command: ['node', './plugin.mjs', './other', 'word'] } });
    const script = join(workspace(), '.tidegate', 'plugin.mjs');
    writeFileSync(script, '1');
    expect((await only()).start).toMatchObject({ cwd: workspace(), args: [script, './other', 'word'] });
  });

  it('requires trust in the file that an interpreter runs', async () => {
    addList({ echo: { command: ['node', './plugin.mjs'] } });
    const script = join(workspace(), '.tidegate', 'plugin.mjs');
    writeFileSync(script, '1');
    const first = await only();
    expect(first.files.map(({ what }) => what)).toContain('a file that its command names');
    trustAll(first);
    expect((await only()).standing).toBe('trusted');
    expect(await stillTrusted(first, trust)).toBeUndefined();
    writeFileSync(script, '2');
    expect((await only()).standing).toBe('changed');
    expect(await stillTrusted(first, trust)).toContain('CHECKSUM_MISMATCH');
  });

  it('overrides a folder with the same name', async () => {
    addFolder();
    addList({ echo: { type: 'mcp', command: ['npx', 'server'] } });
    expect(await locate()).toMatchObject([{ name: 'echo', type: 'mcp' }]);
  });

  it.each([
    [{}, 'exactly one of'],
    [{ path: 'a', command: ['b'] }, 'exactly one of'],
    [{ type: 'mcp', path: 'a' }, '`command` or `url`, not `path`'],
    [{ url: 'https://example.com' }, '`path` or `command`'],
    [{ command: ['x'], checksum: 'md5:1' }, '64 hexadecimal digits'],
    [{ command: ['x'], colour: 'red' }, 'colour'],
  ])('reports what is wrong with it: %j', async (entry, words) => {
    addList({ echo: entry });
    const { standing, problems } = await only();
    expect(standing).toBe('broken');
    expect(problems.map(({ message }) => message).join()).toContain(words);
  });
});

describe('a plugins.yaml that cannot be read', () => {
  it.each(['plugins: [', 'plugins: 5', 'plugin: {}', 'plugins: {echo: 5}', '- 1'])(
    'disables every plugin in the workspace: %s',
    async (text) => {
      addFolder();
      trustAll(await only());
      expect((await only()).standing).toBe('trusted');
      writeFileSync(join(workspace(), '.tidegate', 'plugins.yaml'), text);
      for (const plugin of await locate()) expect(plugin).toMatchObject({ standing: 'broken', files: [] });
      rmSync(join(workspace(), '.tidegate', 'plugins.yaml'));
      expect((await only()).standing).toBe('trusted');
    },
  );

  it('disables them even if it is a dangling link', async () => {
    addFolder();
    trustAll(await only());
    symlinkSync(join(root, 'nowhere'), join(workspace(), '.tidegate', 'plugins.yaml'));
    expect((await only()).standing).toBe('broken');
  });

  it('disables only the affected entry if the error is inside an entry', async () => {
    addFolder();
    trustAll(await only());
    addList({ other: { command: ['x'], colour: 'red' } });
    expect(await locate()).toMatchObject([
      { name: 'echo', standing: 'trusted' },
      { name: 'other', standing: 'broken' },
    ]);
  });
});
