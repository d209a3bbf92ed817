import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenCommands } from '../support/client-tokens.js';
import { type HttpGate, openHttpGate, openPlace, type Place, program, waitFor } from '../support/gate.js';
import { nodeServer } from '../support/hostile-servers.js';
import { openRawHttp, type RawClient, tokenOf } from '../support/raw-client.js';

const name = 'google_drive_upload';
const listChanged = 'notifications/tools/list_changed';

interface World {
  readonly place: Place;
  /** Writes what the server lists from now on. */
  list(server: string, ...tools: readonly string[]): void;
  write(...servers: readonly string[]): void;
}

/** Servers whose tools stand in files. */
function openWorld(lists: Readonly<Record<string, readonly string[]>>): World {
  const place = openPlace({}, { trusted: false });
  onTestFinished(() => place.close());
  const fileOf = (server: string): string => join(place.directory, `lists-${server}`, 'tools.json');
  const list: World['list'] = (server, ...tools) => {
    mkdirSync(join(place.directory, `lists-${server}`), { recursive: true });
    writeFileSync(`${fileOf(server)}.new`, JSON.stringify(tools));
    renameSync(`${fileOf(server)}.new`, fileOf(server));
  };
  const write: World['write'] = (...servers) => {
    const entries = servers.map((server) => [server, nodeServer('named-server.mjs', server, fileOf(server))]);
    place.write({ servers: Object.fromEntries(entries) as object, access: { default_profile: 'none' } });
    place.trust();
  };
  for (const [server, tools] of Object.entries(lists)) list(server, ...tools);
  write(...Object.keys(lists));
  return { place, list, write };
}

async function serve({ place }: World): Promise<HttpGate> {
  const gate = await openHttpGate(place);
  onTestFinished(() => gate.close());
  return gate;
}

async function connect(gate: HttpGate, token: string): Promise<RawClient> {
  const client = await openRawHttp(gate, token, { protocol: 'legacy' });
  onTestFinished(() => client.close().catch(() => undefined));
  return client;
}

function grant({ place }: World, ...words: readonly string[]): void {
  expect(place.run('grant', ...words, '--force')).toMatchObject({ status: 0 });
}

const toolsOf = async (client: RawClient): Promise<readonly string[]> => {
  const { result = '{}' } = await client.request('tools/list', '');
  return (JSON.parse(result) as { readonly tools: readonly { readonly name: string }[] }).tools.map(
    (tool) => tool.name,
  );
};
const call = async (client: RawClient, tool = name): Promise<string> =>
  (await client.request('tools/call', `"name":"${tool}","arguments":{}`)).text;

async function seen(client: RawClient, tool: string): Promise<void> {
  await waitFor(
    async () => (await toolsOf(client)).includes(tool),
    20_000,
    () => `${tool} was never listed`,
  );
}

const orders = [
  ['google', 'google_drive'],
  ['google_drive', 'google'],
] as const;

describe.each(orders)('with %s before %s in the file', (...order) => {
  it('[15.5] the current owner keeps a name that another server lists later, even after a restart', async () => {
    const world = openWorld(Object.fromEntries(order.map((server) => [server, []])));
    world.list('google', 'search');
    world.list('google_drive', 'upload');
    const gate = await serve(world);
    const client = await connect(gate, tokenOf(world.place));
    await seen(client, name);
    await seen(client, 'google_search');
    world.list('google', 'drive_upload', 'search', 'new');
    await seen(client, 'google_new');
    expect(await call(client)).toContain('google_drive did upload');
    expect((await toolsOf(client)).filter((tool) => tool === name)).toHaveLength(1);
    expect(await call(client, 'google_search')).toContain('google did search');
    await waitFor(
      () => gate.said().includes('name not available'),
      10_000,
      () => gate.said(),
    );
    const { stdout } = world.place.run('servers', '--json');
    const { servers } = JSON.parse(stdout) as {
      readonly servers: readonly Readonly<Record<string, unknown>>[];
    };
    expect(servers.find(({ id }) => id === 'google')).toMatchObject({
      state: 'ready',
      dropped: [name],
      tools: 2,
    });
    expect(servers.find(({ id }) => id === 'google_drive')).toMatchObject({ state: 'ready', tools: 1 });
    await gate.close();

    // After a restart, and in the other order.
    for (const servers of [order, order.toReversed()]) {
      world.write(...servers);
      const again = await serve(world);
      const later = await connect(again, tokenOf(world.place));
      await seen(later, 'google_new');
      expect(await call(later)).toContain('google_drive did upload');
      expect(await toolsOf(later)).toEqual(expect.arrayContaining(['google_search', name]));
      await again.close();
    }
    expect(world.place.run('doctor', '--only', 'servers').stdout).toContain(
      `"${name}" belongs to google_drive`,
    );
  });

  it('[15.5] a name belongs to the server with the longest prefix, whether it lists the name or not', async () => {
    const world = openWorld(Object.fromEntries(order.map((server) => [server, []])));
    world.list('google', 'drive_upload', 'search');
    world.list('google_drive', 'other');
    const gate = await serve(world);
    const client = await connect(gate, tokenOf(world.place));
    await seen(client, 'google_search');
    await seen(client, 'google_drive_other');
    expect(await toolsOf(client)).not.toContain(name);
    expect(await call(client)).toContain('Unknown tool');
    await waitFor(
      () => gate.said().includes('name not available'),
      10_000,
      () => gate.said(),
    );
    expect(await call(client, 'google_drive_other')).toContain('google_drive did other');
    world.list('google_drive', 'upload', 'other');
    await seen(client, name);
    expect(await call(client)).toContain('google_drive did upload');
    // A moment without the tool gives the name to no other server.
    world.list('google_drive', 'pause');
    await seen(client, 'google_drive_pause');
    expect(await toolsOf(client)).not.toContain(name);
    expect(await call(client)).toContain('Unknown tool');
  });

  it('[15.5] a server that fails at its first start keeps the names of its prefix', async () => {
    const world = openWorld(Object.fromEntries(order.map((server) => [server, []])));
    world.list('google', 'drive_upload', 'search');
    rmSync(join(world.place.directory, 'lists-google_drive'), { recursive: true });
    for (let starts = 0; starts < 2; starts += 1) {
      const gate = await serve(world);
      const client = await connect(gate, tokenOf(world.place));
      await seen(client, 'google_search');
      expect(await call(client, 'google_search')).toContain('google did search');
      expect(await toolsOf(client)).not.toContain(name);
      expect(await call(client)).toContain('Unknown tool');
      await gate.close();
    }
  });

  it('[15.5] a claim in the state folder does not override the longest prefix', async () => {
    const world = openWorld({ google: ['drive_upload', 'search'] });
    const first = await serve(world);
    await seen(await connect(first, tokenOf(world.place)), name);
    await first.close();
    world.list('google_drive', 'other');
    world.write(...order);
    const gate = await serve(world);
    const client = await connect(gate, tokenOf(world.place));
    await seen(client, 'google_drive_other');
    await seen(client, 'google_search');
    expect(await toolsOf(client)).not.toContain(name);
    world.list('google_drive', 'other', 'upload');
    await call(client, 'google_drive_other');
    await seen(client, name);
    expect(await call(client)).toContain('google_drive did upload');
  });
});

describe('a caller that sees only one of two servers', () => {
  it('[15.5] loses no tool and gets no notification when a hidden server lists a name of the other', async () => {
    const world = openWorld({ google: ['search'], google_drive: ['upload'], probe: ['one'] });
    grant(world, 'agent:ann', 'server:google_drive');
    grant(world, 'agent:bob', 'google_drive_*');
    grant(world, 'agent:bob', 'probe_*');
    grant(world, 'agent:cyd', 'server:google');
    const tokens = tokenCommands(world.place);
    const gate = await serve(world);
    const operator = await connect(gate, tokenOf(world.place));
    const [ann, bob, cyd] = await Promise.all(
      ['ann', 'bob', 'cyd'].map(async (id) => connect(gate, (await tokens.create(`agent:${id}`)).secret)),
    );
    if (ann === undefined || bob === undefined || cyd === undefined) throw new Error('no clients');
    await seen(operator, name);
    // What is known of a server is kept: only a call starts it.
    for (const tool of ['google_search', 'probe_one']) await call(operator, tool);
    const before = await Promise.all([ann, bob].map(toolsOf));
    expect(await toolsOf(cyd)).not.toContain(name);
    world.list('google', 'drive_upload', 'search', 'new');
    await seen(operator, 'google_new');
    await seen(cyd, 'google_new');
    // Whatever was to be told to the others would have come before what the last server tells now.
    world.list('probe', 'one', 'two');
    await seen(bob, 'probe_two');
    expect(await Promise.all([ann, bob].map(toolsOf))).toEqual([
      before[0],
      [...(before[1] ?? []), 'probe_two'],
    ]);
    expect(ann.heard.filter((text) => text.includes(listChanged))).toEqual([]);
    for (const client of [operator, ann, bob])
      expect(await call(client)).toContain('google_drive did upload');
    // Who was given google as a whole, and cannot know google_drive, has what google offers.
    expect(await toolsOf(cyd)).toContain(name);
    expect(await call(cyd)).toContain('google did drive_upload');
  });

  it('[15.5] does not get a tool of another server whose name matches its pattern', async () => {
    const share = 'google_drive_share';
    const world = openWorld({ google: ['search', 'drive_share'], google_drive: ['upload'] });
    grant(world, 'agent:mia', 'google_drive_*');
    grant(world, 'agent:cyd', 'server:google');
    const tokens = tokenCommands(world.place);
    const gate = await serve(world);
    const operator = await connect(gate, tokenOf(world.place));
    await seen(operator, 'google_search');
    await seen(operator, name);
    const mia = await connect(gate, (await tokens.create('agent:mia')).secret);
    expect(await toolsOf(mia)).toContain(name);
    expect(await toolsOf(mia)).not.toContain(share);
    expect(await call(mia, share)).toContain('Unknown tool');
    // The control: the tool is there, for a caller that was given its server.
    const cyd = await connect(gate, (await tokens.create('agent:cyd')).secret);
    expect(await call(cyd, share)).toContain('google did drive_share');
  });

  it('[15.5] does not get the tool of another server through a pattern meant for the owner', async () => {
    const world = openWorld({ google: ['drive_upload'], google_drive: ['upload'] });
    grant(world, 'agent:bob', 'google_drive_*');
    grant(world, 'agent:bob', 'server:google_drive', '--block');
    const tokens = tokenCommands(world.place);
    const gate = await serve(world);
    const operator = await connect(gate, tokenOf(world.place));
    await seen(operator, name);
    expect(await call(operator)).toContain('google_drive did upload');
    const bob = await connect(gate, (await tokens.create('agent:bob')).secret);
    expect(await toolsOf(bob)).not.toContain(name);
    expect(await call(bob)).toContain('Unknown tool');
  });
});

it('[15.5] control: without a server with a longer prefix, the server that lists the name owns it', async () => {
  const world = openWorld({ google: ['search'] });
  const gate = await serve(world);
  const client = await connect(gate, tokenOf(world.place));
  await seen(client, 'google_search');
  world.list('google', 'search', 'drive_upload');
  await seen(client, name);
  expect(await call(client)).toContain('google did drive_upload');
});

it('[15.5] config check and trust warn about overlapping prefixes', () => {
  const command = process.execPath;
  const place = openPlace(
    { servers: { google: { command }, google_drive: { command } } },
    { trusted: false },
  );
  onTestFinished(() => place.close());
  const warned = (...words: readonly string[]): boolean => {
    const ran = spawnSync(process.execPath, [program, ...words], { env: place.env, encoding: 'utf8' });
    return `${ran.stdout}${ran.stderr}`.includes('config.overlapping_prefixes');
  };
  expect(warned('config', 'check', place.configFile)).toBe(true);
  expect(warned('trust', '--yes', place.configFile)).toBe(true);
  place.write({ servers: { google: { command }, google_drive: { command, prefix: 'drive_' } } });
  expect(warned('config', 'check', place.configFile)).toBe(false);
});
