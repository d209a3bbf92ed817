// Plugins together with other features of the gateway: search, grants, audit, name collisions, and changes at run time.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcess, fixtureServer, type HttpGate, spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';
import { openSdkClient, type SdkClient, sdkKinds } from '../support/sdk-clients.js';

type Json = Readonly<Record<string, unknown>>;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(...given: Parameters<typeof openPluginPlace>): PluginPlace {
  const place = openPluginPlace(...given);
  closers.push(() => place.close());
  return place;
}

async function connect(place: PluginPlace, args: readonly string[] = []): Promise<SdkClient> {
  const [kind] = sdkKinds;
  const client = await openSdkClient({ kind, wire: 'stdio', place, gate: {} as HttpGate, args });
  closers.push(() => client.close());
  return client;
}

/** A gateway over plain lines, and its log. */
async function connectLines(place: PluginPlace) {
  const gate = spawnStdioGate(place);
  closers.push(() => endProcess(gate));
  let log = '';
  gate.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const client = openLineClient(gate);
  await client.initialize();
  const result = async (method: string, params: object): Promise<Json> =>
    (await client.request(method, params, 30_000)).message.result as Json;
  const tools = async (): Promise<readonly string[]> =>
    ((await result('tools/list', {}))['tools'] as readonly { name: string }[]).map(({ name }) => name);
  return {
    tools,
    call: (name: string, args_: object = {}) => result('tools/call', { name, arguments: args_ }),
    log: () => log,
    holdLog: (isHeld: boolean) => (isHeld ? gate.stderr.pause() : gate.stderr.resume()),
  };
}

const has = (names: readonly string[], wanted: string): boolean => names.includes(wanted);

async function until(isSo: () => Promise<boolean>, what: () => string): Promise<void> {
  await waitFor(isSo, 20_000, what);
}

describe('search', () => {
  it('finds and calls operations like any tool, and does not reveal hidden ones', async () => {
    const own = ['tool_search', 'call_tool', 'wait_for_servers'];
    const place = open(
      { peer: { extra: ['mend_bicycle', 'paint_bicycle'] } },
      { builtins: own, context: { lazy: 'on' }, log: { level: 'error' } },
    );
    place.trustPlugins();
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(0);
    for (const tool of ['plugin:peer/mend_bicycle', ...own.map((name) => `builtin/${name}`)])
      expect(place.run('grant', 'agent:alice', tool)).toMatchObject({ status: 0 });
    const client = await connect(place, ['--as', 'agent:alice']);
    const found = await client.call('tool_search', { query: 'a bicycle' });
    const { matches } = found.structuredContent as { readonly matches: readonly Json[] };
    expect(matches.map(({ name }) => name)).toEqual(['peer_mend_bicycle']);
    const called = await client.call('call_tool', { name: 'peer_mend_bicycle', arguments: {} });
    expect(called.structuredContent).toEqual({ output: 'mend_bicycle' });
    const refused = await client.call('call_tool', { name: 'peer_paint_bicycle', arguments: {} });
    expect(refused.isError).toBe(true);
    await client.close();
    const { stdout } = place.run('audit', '--json');
    expect(stdout).toContain('peer_mend_bicycle');
    expect(stdout).toContain('peer_paint_bicycle');
    // The control: without the grant that hides it, it is found.
    const free = await connect(place);
    const all = await free.call('tool_search', { query: 'a bicycle' });
    const names = (all.structuredContent as { readonly matches: readonly Json[] }).matches.map(
      (one) => one['name'],
    );
    expect(names).toEqual(expect.arrayContaining(['peer_mend_bicycle', 'peer_paint_bicycle']));
  });
});

describe('a name that is already used', () => {
  const stateOf = (place: PluginPlace, name: string): Json | undefined => {
    const { plugins } = JSON.parse(place.run('plugin', 'list', '--json').stdout) as {
      readonly plugins: readonly Json[];
    };
    return plugins.find((plugin) => plugin['name'] === name);
  };
  const cases: Readonly<
    Record<
      string,
      readonly [config: object, plugin: string, operation: string, loser?: readonly [string, string]]
    >
  > = {
    'by a built-in tool': [{ builtins: ['tool_search'] }, 'tool', 'search'],
    'by a server': [
      { servers: { own: { command: process.execPath, args: [fixtureServer] } } },
      'own',
      'test_simple_text',
    ],
    // The longer prefix wins.
    'by another plugin': [{}, 'peer_a', 'b', ['peer', 'a_b']],
  };

  it.each(Object.entries(cases))(
    '[15.5] %s is not offered at startup, and nothing else is affected',
    async (_by, given) => {
      const [config, plugin, operation, [loser, dropped] = [plugin, operation]] = given;
      const place = open({ peer: { extra: ['a_b'] } }, { ...config, log: { level: 'error' } });
      place.addPeer(plugin, { extra: [operation] });
      place.trustPlugins();
      // Known before the gateway starts, so that the names collide at startup.
      for (const one of ['peer', plugin]) place.run('plugin', 'show', one);
      if (plugin === 'own') expect(place.run('tools', 'list').stdout).toContain('own_test_simple_text');
      const gate = await connectLines(place);
      await until(
        async () => has(await gate.tools(), 'peer_echo'),
        () => 'no peer_echo',
      );
      await until(
        () => Promise.resolve(gate.log().includes('USER.MCP_PROXY.NAME_COLLISION')),
        () => gate.log(),
      );
      const names = await gate.tools();
      expect(names).toContain(`${plugin}_echo`);
      // A built-in tool that is not needed now is not listed.
      expect(names.filter((name) => name === `${plugin}_${operation}`).length).toBeLessThan(2);
      expect(await gate.call('peer_echo', { text: 'a' })).toMatchObject({
        structuredContent: { output: 'a' },
      });
      const refused = place.run('plugin', 'call', loser, dropped);
      expect([refused.status, refused.stderr]).toEqual([
        4,
        expect.stringContaining('USER.MCP_PROXY.NAME_COLLISION'),
      ]);
      expect(place.run('plugin', 'call', loser, 'echo', 'text=a').status).toBe(0);
      // The control: the same plugin with another operation name is offered.
      rmSync(join(place.workspace, '.tidegate', 'plugins', `awf-plugin-${plugin}`), { recursive: true });
      place.addPeer(plugin, { extra: [`${operation}_other`] });
      place.trustPlugins();
      expect(place.run('plugin', 'show', plugin).status).toBe(0);
      expect(stateOf(place, plugin)?.['detail'] ?? '').not.toContain('NAME_COLLISION');
      await until(
        async () => has(await gate.tools(), `${plugin}_${operation}_other`),
        () => gate.log(),
      );
    },
  );
});

describe('a running gateway', () => {
  it('adds new plugins, and drops removed ones', async () => {
    const place = open();
    const gate = await connectLines(place);
    expect(await gate.tools()).toEqual([]);
    const folder = place.addPeer('peer');
    // It is neither visible nor run before it is trusted.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await gate.tools()).toEqual([]);
    place.trustPlugins();
    await until(
      async () => has(await gate.tools(), 'peer_echo'),
      () => gate.log(),
    );
    expect(await gate.call('peer_echo', { text: 'a' })).toMatchObject({ structuredContent: { output: 'a' } });
    // A second one, declared in a new file.
    place.addPeer('other', {}, join(place.workspace, 'vendor'));
    place.writeList({ other: { path: '../vendor/awf-plugin-other' } });
    place.trustPlugins();
    await until(
      async () => has(await gate.tools(), 'other_echo'),
      () => gate.log(),
    );
    rmSync(folder, { recursive: true });
    await until(
      async () => !has(await gate.tools(), 'peer_echo'),
      () => gate.log(),
    );
    expect(await gate.call('other_echo', { text: 'a' })).toMatchObject({
      structuredContent: { output: 'a' },
    });
  });
});

describe('the output of a plugin', () => {
  it('is logged line by line, without secrets, and never blocks the plugin', async () => {
    const place = open({ peer: { behaviours: ['talks'] } }, { log: { level: 'debug' } });
    place.trustPlugins();
    const gate = await connectLines(place);
    // The log is not read meanwhile, as on a busy machine, and there is far more output than fits into its buffer.
    gate.holdLog(true);
    expect(await gate.call('peer_echo', { text: 'a' })).toMatchObject({ structuredContent: { output: 'a' } });
    gate.holdLog(false);
    await until(
      () => Promise.resolve(gate.log().slice(-50_000).includes('the last line')),
      () => gate.log().slice(-500),
    );
    const lines = gate
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Json)
      .filter(({ plugin }) => plugin === 'peer');
    const said = (message: string): readonly unknown[] =>
      lines
        .filter((line) => line['message'] === message || line['msg'] === message)
        .map((line) => line['text']);
    expect(said('plugin output').slice(0, 2)).toEqual(['printed on stdout', 'second line']);
    // The log keeps what fits, and nothing waits for it.
    expect(said('plugin stderr').length).toBeGreaterThan(1000);
    expect(said('plugin stderr').at(-1)).toBe('the last line');
    expect(gate.log()).not.toContain('correct-horse-battery');
  });
});

describe('events of a run', () => {
  it('reach plugins completely, with the fields that plugins expect', () => {
    const place = open({ peer: { behaviours: ['keeps-events'] } });
    place.trustPlugins();
    const states = {
      initial: 'say',
      say: {
        type: 'operation',
        operation: 'peer.echo',
        inputs: { text: 'hi' },
        on_success: 'fail',
        on_failure: 'lost',
      },
      fail: { type: 'step', command: 'exit 3', on_success: 'done', on_failure: 'lost' },
      done: { type: 'terminal' },
      lost: { type: 'terminal', status: 'failure' },
    };
    place.writeWorkspace(
      '.tidegate/workflows/w.yaml',
      JSON.stringify({ name: 'w', version: '1.0.0', states }),
    );
    expect(place.run('run', 'w').status).not.toBe(0);
    const told = readFileSync(join(place.workspace, 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string; readonly metadata: Json })
      .filter(({ type }) => type.startsWith('workflow.'));
    expect(told.map(({ type }) => type)).toEqual(['workflow.started', 'workflow.failed']);
    expect(told[1]?.metadata).toEqual({
      workflow_id: expect.any(String) as string,
      workflow_name: 'w',
      duration: expect.stringMatching(/^\d+ms$/) as string,
      error: expect.any(String) as string,
    });
  });
});
