// Plugins with real clients. The plugin follows the documented protocol byte for byte and shares no code with us.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcess, fixtureServer, type HttpGate, spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';
import { openSdkClient, type SdkClient, sdkKinds } from '../support/sdk-clients.js';

type Json = Readonly<Record<string, unknown>>;

const [anyKind] = sdkKinds;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(...given: Parameters<typeof openPluginPlace>): PluginPlace {
  const place = openPluginPlace(...given);
  closers.push(() => place.close());
  return place;
}

async function connect(
  place: PluginPlace,
  args: readonly string[] = [],
  kind = anyKind as (typeof sdkKinds)[number],
): Promise<SdkClient> {
  const client = await openSdkClient({ kind, wire: 'stdio', place, gate: {} as HttpGate, args });
  closers.push(() => client.close());
  return client;
}

/** The first list waits at most two seconds for an unknown plugin; a list_changed notification follows later. */
async function toolsWith(client: SdkClient, name: string): Promise<readonly (Json & { name: string })[]> {
  let tools: readonly { name: string }[] = [];
  await waitFor(
    async () => (tools = await client.tools()).some((tool) => tool.name === name),
    20_000,
    () => `no ${name} among ${tools.map((tool) => tool.name).join()}`,
  );
  return tools;
}

const textOf = (result: { readonly content: readonly { readonly text?: string }[] }): string =>
  result.content.map(({ text }) => text).join('\n');

describe('the operations of a plugin', () => {
  it.each(sdkKinds)('are listed with the built-in tools, exactly as exposed ($sdk, $mode)', async (kind) => {
    const place = open({}, { builtins: ['Read'], log: { level: 'error' } });
    const folder = place.addPeer('peer', {}, join(place.workspace, 'vendor'));
    place.writeList({
      peer: { path: `../vendor/${folder.split('/').at(-1) ?? ''}`, expose: ['e*', '!env'] },
    });
    place.trustPlugins();
    const client = await connect(place, [], kind);
    const tools = await toolsWith(client, 'peer_echo');
    expect(tools.map(({ name }) => name)).toEqual(['Read', 'peer_echo']);
    const result = await client.call('peer_echo', { text: 'hi', prefix: '> ' });
    expect(result).toMatchObject({ structuredContent: { output: '> hi', text: 'hi', prefix: '> ' } });
    expect(result.isError ?? false).toBe(false);
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  it('have the schema that the plugin declares', async () => {
    const place = open({ peer: {} });
    place.trustPlugins();
    const tools = await toolsWith(await connect(place), 'peer_echo');
    const find = (name: string): Json | undefined => tools.find((tool) => tool.name === name);
    expect(find('peer_echo')).toMatchObject({
      description: 'Says it again. Returns a JSON object with fields: output, text, prefix.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to say.' }, prefix: { type: 'string' } },
        required: ['text'],
        additionalProperties: true,
      },
      outputSchema: { type: 'object', additionalProperties: true },
    });
    expect(find('peer_typed')?.['description']).toBe("Operation 'typed' from plugin 'peer'.");
    expect(find('peer_typed')?.['inputSchema']).toEqual({
      type: 'object',
      properties: {
        count: { type: 'integer', default: 5 },
        flag: { type: 'boolean', default: true },
        list: { type: 'array', default: [1] },
        shape: { type: 'object', additionalProperties: true },
        site: { type: 'string', format: 'uri' },
        odd: { 'x-validation': 'prime' },
        wrong: { type: 'integer' },
      },
      required: ['site'],
      additionalProperties: true,
    });
    expect(find('peer_open')?.['inputSchema']).toEqual({ type: 'object', additionalProperties: true });
  });

  it('return the result of the plugin, or its failure', async () => {
    const place = open({ peer: {} });
    place.trustPlugins();
    const client = await connect(place);
    await toolsWith(client, 'peer_echo');
    expect(await client.call('peer_nothing')).toMatchObject({
      structuredContent: {},
      content: [{ text: '{}' }],
    });
    expect(await client.call('peer_refuse')).toMatchObject({
      isError: true,
      content: [{ text: 'the disk is full' }],
    });
    expect(await client.call('peer_half')).toMatchObject({
      isError: true,
      structuredContent: { output: 'done' },
      content: [{ text: '{"output":"done"}' }, { text: 'but late' }],
    });
    expect(await client.call('peer_raw')).toMatchObject({ structuredContent: { bytes: '{oops' } });
    expect(await client.call('peer_open', { b: 1, a: null })).toMatchObject({
      structuredContent: { output: 'a,b' },
    });
    const unknown = await client.call('peer_unknown_status');
    expect(unknown.isError).toBe(true);
    expect(textOf(unknown)).toContain('something of its own');
  });

  it('receive the exact argument text that was sent', async () => {
    const place = open({ peer: {} });
    place.trustPlugins();
    const gate = spawnStdioGate(place);
    closers.push(() => endProcess(gate));
    const client = openLineClient(gate);
    await client.initialize();
    const line =
      '{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"peer_typed","arguments":{"site":"x","count":12345678901234567890123,"shape":{"k":1.10}}}}';
    const { text } = await client.ask('"n"', `${line}\n`);
    expect(text).toContain(
      '"structuredContent":{"site":"x","count":12345678901234567890123,"shape":{"k":1.10}}',
    );
  });

  it('work without TLS if plugins.yaml allows it', async () => {
    const place = open();
    const folder = place.addPeer('peer', {}, join(place.workspace, 'vendor'));
    place.writeList({ peer: { path: folder, mtls: false } });
    place.trustPlugins();
    const client = await connect(place);
    await toolsWith(client, 'peer_env');
    const { output } = (await client.call('peer_env')).structuredContent as { readonly output: string };
    expect(output.split(',')).not.toContain('PLUGIN_CLIENT_CERT');
  });

  it('get a minimal environment and the variables in plugins.yaml', async () => {
    const place = open();
    const folder = place.addPeer('peer', {}, join(place.workspace, 'vendor'));
    place.writeList({ peer: { path: folder, env: { KUBE: 'config' } } });
    place.trustPlugins();
    const withSecret = { ...place, env: { ...place.env, MY_SECRET: 'hush' } };
    const client = await connect(withSecret);
    await toolsWith(client, 'peer_env');
    const { output } = (await client.call('peer_env')).structuredContent as { readonly output: string };
    const names = output.split(',');
    expect(names).toContain('KUBE');
    expect(names).toContain('PLUGIN_CLIENT_CERT');
    expect(names).not.toContain('MY_SECRET');
  });
});

describe('trust', () => {
  const starts = (place: PluginPlace): string => {
    try {
      return readFileSync(join(place.directory, 'started'), 'utf8');
    } catch {
      return '';
    }
  };
  const telling = (place: { directory: string }): string =>
    `require('node:fs').appendFileSync(${JSON.stringify(join(place.directory, 'started'))}, 'x');`;

  it('is required before anything starts, and again after every change', async () => {
    const place = open();
    const folder = place.addPeer('peer', { before: telling(place) });
    const first = await connect(place);
    expect(await first.tools()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(starts(place)).toBe('');
    expect(place.run('plugin', 'call', 'peer', 'echo')).toMatchObject({ status: 6 });
    expect(starts(place)).toBe('');

    // The control: with trust, the same program starts.
    place.trustPlugins('peer');
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a')).toMatchObject({ status: 0 });
    expect(starts(place)).toBe('x');

    // First the program changes, then only a file next to it.
    for (const file of ['awf-plugin-peer', 'plugin.yaml', 'helper.js']) {
      appendFileSync(join(folder, file), '\n');
      const refused = place.run('plugin', 'call', 'peer', 'echo', 'text=a');
      expect([file, refused.status]).toEqual([file, 6]);
      expect(refused.stderr).toContain('changed since it was trusted');
      expect(starts(place)).toBe('x');
      place.trustPlugins('peer');
    }
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(0);
    expect(place.run('plugin', 'trust', 'peer', '--forget').status).toBe(0);
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(6);
    expect(starts(place)).toBe('xx');
  });

  it('is checked again right before a start', async () => {
    const place = open();
    const folder = place.addPeer('peer', { before: telling(place) });
    place.trustPlugins('peer');
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(0);
    const client = await connect(place);
    await toolsWith(client, 'peer_echo');
    // Listed from the cache: nothing runs yet, and the program has changed since.
    appendFileSync(join(folder, 'awf-plugin-peer'), '\n');
    const refused = await client.call('peer_echo', { text: 'a' });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('CHECKSUM_MISMATCH');
    expect(starts(place)).toBe('x');
  });

  it('and enabling or disabling take effect in a running gateway', async () => {
    const place = open({ peer: {} });
    const client = await connect(place);
    expect(await client.tools()).toEqual([]);
    place.trustPlugins('peer');
    await toolsWith(client, 'peer_echo');
    expect(place.run('plugin', 'disable', 'peer').status).toBe(0);
    await waitFor(
      async () => (await client.tools()).length === 0,
      20_000,
      () => 'still listed',
    );
    expect(place.run('plugin', 'enable', 'peer').status).toBe(0);
    await toolsWith(client, 'peer_echo');
    expect(await client.call('peer_echo', { text: 'a' })).toMatchObject({
      structuredContent: { output: 'a' },
    });
  });

  it('does not override a wrong checksum', () => {
    const place = open();
    const folder = place.addPeer('peer', {}, join(place.workspace, 'vendor'));
    place.writeList({ peer: { path: folder } });
    place.trustPlugins();
    place.writeList({ peer: { path: folder, checksum: `sha256:${'0'.repeat(64)}` } });
    const refused = place.run('plugin', 'trust', 'peer', '--yes');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('EXECUTION.PLUGIN.CHECKSUM_MISMATCH');
    expect(place.run('plugin', 'list', '--json').stdout).toContain('EXECUTION.PLUGIN.CHECKSUM_MISMATCH');
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(4);
  });
});

describe('grants', () => {
  it('apply to operations like to any tool: hidden ones look absent, and every attempt is recorded', async () => {
    const place = open({ peer: {} });
    place.trustPlugins();
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(0);
    expect(place.run('grant', 'agent:alice', 'plugin:peer/echo')).toMatchObject({ status: 0 });
    const client = await connect(place, ['--as', 'agent:alice']);
    const tools = await toolsWith(client, 'peer_echo');
    expect(tools.map(({ name }) => name)).toEqual(['peer_echo']);
    expect(await client.call('peer_echo', { text: 'a' })).toMatchObject({
      structuredContent: { output: 'a' },
    });
    const refusal = async (name: string): Promise<string> => {
      const said = await client.call(name, {}).then(
        (result) => JSON.stringify(result),
        (error: unknown) => String(error),
      );
      return said.replaceAll(name, '<name>');
    };
    expect(await refusal('peer_open')).toBe(await refusal('peer_opem'));
    await client.close();
    const { stdout } = place.run('audit', '--json');
    expect(stdout).toContain('peer_echo');
    expect(stdout).toContain('peer_open');
  });
});

describe('names', () => {
  it('that collide with a workspace tool disable the plugin, with a code', () => {
    const place = open({}, { builtins: ['*'], log: { level: 'error' } });
    mkdirSync(join(place.workspace, '.tidegate', 'tools'), { recursive: true });
    writeFileSync(
      join(place.workspace, '.tidegate', 'tools', 'peer-echo.tool.mjs'),
      `import { defineTool, z } from 'tidegate/tool';
export default defineTool({ name: 'peer_echo', title: 'T', description: 'D.', effect: 'read', input: z.object({}), run: () => 'mine' });`,
    );
    place.addPeer('peer');
    place.addPeer('second');
    place.trust();
    expect(place.run('trust', '--yes').status).toBe(0);
    place.trustPlugins();
    const called = place.run('plugin', 'call', 'peer', 'echo', 'text=a');
    expect(called.stderr).toContain('USER.MCP_PROXY.NAME_COLLISION');
    expect(called.status).toBe(4);
    // The other tool of that name and the other plugin are not affected.
    expect(place.run('tools', 'call', 'peer_echo').stdout).toContain('mine');
    expect(place.run('plugin', 'call', 'second', 'echo', 'text=a').status).toBe(0);
  });

  it('that are unknown are reported separately', () => {
    const place = open({ peer: {} });
    place.trustPlugins();
    expect(place.run('plugin', 'call', 'pear', 'echo')).toMatchObject({ status: 3 });
    expect(place.run('plugin', 'call', 'pear', 'echo').stderr).toContain('Did you mean "peer"?');
    expect(place.run('plugin', 'call', 'peer', 'ecko')).toMatchObject({ status: 3 });
    expect(place.run('plugin', 'call', 'peer', 'ecko').stderr).toContain('plugin.no_operation');
  });
});

describe('finding plugins', () => {
  it('looks in the workspace, then in the home; the first plugin of a name wins, and the other is reported', () => {
    const place = open({ peer: {} });
    const data = join(place.env['HOME'] ?? '', '.local', 'share');
    place.addPeer('peer', {}, join(place.workspace, '.awf', 'plugins'));
    place.addPeer('homely', {}, join(data, 'awf', 'plugins'));
    place.addPeer('own', {}, join(data, 'tidegate', 'plugins'));
    const { stdout } = place.run('plugin', 'list', '--json');
    const { plugins, shadowed } = JSON.parse(stdout) as {
      plugins: readonly Json[];
      shadowed: readonly Json[];
    };
    expect(plugins.map(({ name }) => name)).toEqual(['homely', 'own', 'peer']);
    expect(shadowed).toMatchObject([{ name: 'peer', place: expect.stringContaining('.awf') }]);
  });

  it('looks only where AWF_PLUGINS_PATH says', () => {
    const place = open({ peer: {} });
    place.addPeer('other', {}, join(place.directory, 'elsewhere'));
    const env = { ...place.env, AWF_PLUGINS_PATH: join(place.directory, 'elsewhere') };
    Object.assign(place.env, env);
    const { plugins } = JSON.parse(place.run('plugin', 'list', '--json').stdout) as {
      plugins: readonly Json[];
    };
    expect(plugins.map(({ name }) => name)).toEqual(['other']);
  });

  it('lists unusable plugins with the reason', () => {
    const place = open();
    place.addPeer('bad', { manifest: { version: 'one', capabilities: ['flying'] } });
    place.addPeer('new', { manifest: { awf_version: '>=9.0.0' } });
    const { stdout } = place.run('plugin', 'list', '--json');
    const { plugins } = JSON.parse(stdout) as { plugins: readonly Json[] };
    expect(plugins.map(({ name, state }) => [name, state])).toEqual([
      ['bad', 'failed'],
      ['new', 'failed'],
    ]);
    const told = place.run('plugin', 'trust', 'bad', '--yes');
    expect(told.status).toBe(2);
    expect(told.stderr).toContain('"flying" is not a known capability');
    expect(place.run('plugin', 'trust', 'new', '--yes').stderr).toContain(
      'The plugin requires version >=9.0.0, but this is version 0.10.0',
    );
  });
});

describe('an MCP server as a plugin', () => {
  it('has the same names, visibility and trust', async () => {
    const place = open();
    place.writeList({
      own: { type: 'mcp', command: [process.execPath, fixtureServer], expose: ['test_simple_*'] },
    });
    expect(await (await connect(place)).tools()).toEqual([]);
    place.trustPlugins('own');
    const client = await connect(place);
    let names: readonly string[] = [];
    await waitFor(
      async () => (names = (await client.tools()).map(({ name }) => name)).length > 0,
      20_000,
      () => 'nothing listed',
    );
    expect(names.every((name) => name.startsWith('own_test_simple_'))).toBe(true);
    const shown = JSON.parse(place.run('plugin', 'show', 'own', '--json').stdout) as {
      operations: readonly Json[];
    };
    expect(shown.operations.map(({ tool }) => tool).sort()).toEqual([...names].sort());
  });
});

describe('a plugin made with `plugin new`', () => {
  it('reports only what is wrong with the arguments of a call', () => {
    const place = open();
    expect(place.run('plugin', 'new', 'hello').status).toBe(0);
    place.trustPlugins('hello');
    const { status, stdout, stderr } = place.run('plugin', 'call', 'hello', 'count_words', 'txt=a');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/Invalid arguments for count_words: text: /);
    expect(stderr).toContain('has no argument "txt". Sent anyway. Did you mean "text"?');
    expect(stderr).toContain('tidegate tools show hello_count_words');
  });

  it('runs without changes', () => {
    const place = open();
    expect(place.run('plugin', 'new', 'hello').status).toBe(0);
    expect(place.run('plugin', 'new', 'hello')).toMatchObject({ status: 2 });
    place.trustPlugins('hello');
    const { stdout } = place.run('plugin', 'call', 'hello', 'count_words', 'text=a b c', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { words: 3, output: '3 words' } });
    expect(existsSync(join(place.env['TIDEGATE_HOME'] ?? '', 'sockets'))).toBe(true);
    expect(readdirSync(join(place.env['TIDEGATE_HOME'] ?? '', 'sockets'))).toEqual([]);
  });
});
