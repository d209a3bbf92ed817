// Trust in plugins, in the built program.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcess, fixtureServer, spawnStdioGate, waitFor } from '../support/gate.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(...given: Parameters<typeof openPluginPlace>): PluginPlace {
  const place = openPluginPlace(...given);
  closers.push(() => place.close());
  return place;
}

interface Listed {
  readonly plugins: readonly { readonly name: string; readonly state: string; readonly detail?: string }[];
}

function states(place: PluginPlace): Readonly<Record<string, string>> {
  const { plugins } = JSON.parse(place.run('plugin', 'list', '--json').stdout) as Listed;
  return Object.fromEntries(plugins.map(({ name, state }) => [name, state]));
}

/** A program that leaves a mark. Its command must not name the mark, because files it names are part of its trust. */
const marking = (mark: string): object => ({
  command: [process.execPath, '-e', "require('fs').writeFileSync(process.env.MARK, 'ran')"],
  env: { MARK: mark },
});

describe('a plugin declaration', () => {
  it('is checked by config check, with positions and untrusted plugins', () => {
    const place = open();
    place.writeList({ srv: { type: 'mcp', ...fixtureCommand(), timeuot: '3s' } });
    const wrong = place.run('config', 'check');
    expect(wrong.stdout).toMatch(/plugins\.yaml:\d+:\d+: error config\.unknown_key: Unknown key "timeuot"/);
    expect(wrong.stdout).toContain('Did you mean `timeout`?');
    expect(wrong.stdout).toContain('plugins.yaml: has errors');
    expect(wrong.status).toBe(2);
    place.writeList({ srv: { type: 'mcp', ...fixtureCommand() } });
    const right = place.run('config', 'check', '--json');
    expect(JSON.parse(right.stdout)).toMatchObject({ valid: true, plugins: { untrusted: ['srv'] } });
    expect(right.status).toBe(0);
  });

  it('is shown file by file before it is trusted, even if one digest covers a folder', () => {
    const place = open({ peer: {} });
    const folder = join(place.workspace, '.tidegate', 'plugins', 'awf-plugin-peer');
    writeFileSync(join(folder, 'beside.mjs'), '');
    const { stdout } = place.run('plugin', 'trust', 'peer');
    for (const name of ['awf-plugin-peer', 'beside.mjs', 'plugin.yaml'])
      expect(stdout).toContain(`    covers ${name}\n`);
  });
});

describe('trust in one entry of plugins.yaml', () => {
  it('does not affect other entries, neither when given nor when removed', () => {
    const place = open();
    const mark = (name: string): string => join(place.directory, `ran-${name}`);
    place.writeList({
      good: { type: 'mcp', ...fixtureCommand() },
      evil: { type: 'mcp', ...marking(mark('mcp')) },
      sly: { command: ['sh', '-c', `touch ${mark('grpc')}`] },
      far: { type: 'mcp', url: 'http://127.0.0.1:9/mcp' },
    });
    place.trustPlugins('good');
    expect(states(place)).toMatchObject({ evil: 'untrusted', sly: 'untrusted', far: 'untrusted' });
    const listed = place.run('tools', 'list');
    expect(listed.stdout).toContain('good_');
    const called = place.run('tools', 'call', 'evil_x');
    expect([called.status, called.stderr]).toEqual([
      6,
      expect.stringContaining('tidegate plugin trust evil'),
    ]);
    expect([existsSync(mark('mcp')), existsSync(mark('grpc'))]).toEqual([false, false]);
    // The control: the trusted entry runs.
    place.trustPlugins('evil');
    place.run('plugin', 'show', 'evil');
    expect(existsSync(mark('mcp'))).toBe(true);
    expect(place.run('plugin', 'trust', 'good', '--forget').status).toBe(0);
    expect(states(place)).toMatchObject({ good: 'untrusted', sly: 'untrusted' });
    expect(states(place)['evil']).not.toBe('untrusted');
  });

  it('does not cover later changes to files its command names', () => {
    const place = open();
    place.writeWorkspace('.tidegate/server.cjs', 'process.exit(3)');
    place.writeList({ one: { type: 'mcp', command: [process.execPath, './server.cjs'] } });
    place.trustPlugins('one');
    const mark = join(place.directory, 'ran');
    place.writeWorkspace('.tidegate/server.cjs', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`);
    place.run('tools', 'list');
    expect([states(place)['one'], existsSync(mark)]).toEqual(['untrusted', false]);
  });
});

function fixtureCommand(): object {
  return { command: [process.execPath, fixtureServer] };
}

describe('a plugins.yaml that cannot be read', () => {
  it('disables every plugin, with a message', async () => {
    const place = open({ peer: {} });
    place.trustPlugins('peer');
    expect(place.run('tools', 'list').stdout).toContain('peer_echo');
    place.writeWorkspace('.tidegate/plugins.yaml', 'plugins:\n  peer: {expose: [echo]\n');
    const listed = place.run('tools', 'list');
    expect(listed.stdout).not.toContain('peer_');
    expect(listed.stderr).toContain('plugins.yaml:');
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=x').status).toBe(4);
    const { status, stderr } = place.run('plugin', 'list');
    expect([status, stderr]).toEqual([2, expect.stringContaining('plugins.yaml:')]);
    const gate = spawnStdioGate(place);
    closers.push(() => endProcess(gate));
    let log = '';
    gate.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await waitFor(
      () => log.includes('plugins.yaml'),
      10_000,
      () => log,
    );
  });
});

describe('an unused plugin', () => {
  it('is reported with its state and a command, under either name', () => {
    const place = open({ peer: {} });
    const call = (): readonly ReturnType<PluginPlace['run']>[] => [
      place.run('plugin', 'call', 'peer', 'echo', 'text=x'),
      place.run('tools', 'call', 'peer_echo', 'text=x'),
    ];
    for (const { status, stderr } of call())
      expect([status, stderr]).toEqual([6, expect.stringContaining('tidegate plugin trust peer')]);
    place.trustPlugins('peer');
    for (const { status } of call()) expect(status).toBe(0);
    expect(place.run('plugin', 'disable', 'peer').status).toBe(0);
    for (const { status, stderr } of call()) {
      expect([status, stderr]).toEqual([4, expect.stringContaining('tidegate plugin enable peer')]);
      expect(stderr).toContain('plugin.disabled');
    }
  });
});

describe('a plugin that fails', () => {
  it('is reported with its own error and position', () => {
    const place = open({ peer: { before: "throw new TypeError('no such thing')" } });
    place.writeWorkspace('.tidegate/server.cjs', "const a = 1;\nthrow new RangeError('too far');\n");
    place.writeList({ srv: { type: 'mcp', command: [process.execPath, './server.cjs'] } });
    place.trustPlugins();
    const peer = place.run('plugin', 'call', 'peer', 'echo', 'text=x').stderr;
    expect(peer).toMatch(/exited with code 1 .*TypeError: no such thing \(.*awf-plugin-peer:2/);
    const srv = place.run('plugin', 'show', 'srv').stdout;
    expect(srv).toMatch(/RangeError: too far \(.*server\.cjs:2/);
    expect(`${peer}${srv}`).not.toContain('Node.js v');
  });

  it('during a call is reported with its exit and the plugin command', () => {
    const place = open();
    expect(place.run('plugin', 'new', 'hello').status).toBe(0);
    const file = join(place.workspace, '.tidegate', 'plugins', 'hello', 'plugin.ts');
    const source = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      source.replace(
        /run\(([^)]*)\) \{/,
        'async run($1) { setTimeout(() => { throw new Error("fell over"); }, 10); await new Promise((r) => setTimeout(r, 5000));',
      ),
    );
    place.trustPlugins('hello');
    const { status, stderr } = place.run('plugin', 'call', 'hello', 'count_words', 'text=a');
    expect([status, stderr]).toEqual([4, expect.stringContaining('Error: fell over')]);
    expect(stderr).toContain('tidegate plugin show hello');
    expect(stderr).not.toMatch(/tidegate servers|Node\.js v/);
  });

  it('because of a syntax error is reported with the first relevant lines', () => {
    const place = open();
    expect(place.run('plugin', 'new', 'hello').status).toBe(0);
    const file = join(place.workspace, '.tidegate', 'plugins', 'hello', 'plugin.ts');
    writeFileSync(file, 'export default {\n  const = 5;\n};\n');
    place.trustPlugins('hello');
    const { stderr } = place.run('plugin', 'call', 'hello', 'count_words', 'text=a');
    expect(stderr).toMatch(/plugin\.ts:2/);
    expect(stderr).not.toMatch(/Node\.js v|node:internal|at Module/);
  });
});

describe('a plugin and its name', () => {
  it('must match in manifest and program', () => {
    const place = open();
    expect(place.run('plugin', 'new', 'hello').status).toBe(0);
    const file = join(place.workspace, '.tidegate', 'plugins', 'hello', 'plugin.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace("name: 'hello'", "name: 'other'"));
    place.trustPlugins('hello');
    const { status, stderr } = place.run('plugin', 'call', 'hello', 'count_words', 'text=a');
    expect([status, stderr]).toEqual([4, expect.stringContaining('it reports the name "other"')]);
  });

  it('are reported if `expose` hides an operation', () => {
    const place = open();
    const folder = place.addPeer('peer', {}, join(place.workspace, 'vendor'));
    place.writeList({ peer: { path: folder, expose: ['echo'] } });
    place.trustPlugins('peer');
    const { status, stderr } = place.run('plugin', 'call', 'peer', 'typed');
    expect([status, stderr]).toEqual([3, expect.stringContaining('hidden by `expose` in plugins.yaml')]);
  });
});

describe('a plugin with a command', () => {
  it('runs in the workspace', () => {
    const place = open();
    const mark = join(place.directory, 'where');
    place.writeList({ one: { command: ['sh', '-c', `pwd > ${mark}`] } });
    place.trustPlugins('one');
    place.run('plugin', 'show', 'one');
    expect(readFileSync(mark, 'utf8').trim()).toBe(place.workspace);
  });
});
