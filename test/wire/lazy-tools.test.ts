import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { catalogueServer, manyTools } from '../support/catalogue.js';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import {
  openSdkClient,
  type SdkClient,
  type SdkKind,
  sdkKinds,
  type SdkOptions,
} from '../support/sdk-clients.js';

const own = ['tool_search', 'call_tool', 'wait_for_servers'];
const config = (context: object = {}, more: object = {}): object => ({
  builtins: own,
  servers: { office: catalogueServer(manyTools, { CATALOGUE_SAYS: 'Ids are lower case.' }) },
  context,
  ...more,
});

interface Answer {
  readonly mode: string;
  readonly matches: readonly {
    readonly name: string;
    readonly state: string;
    readonly input_schema: object;
  }[];
  readonly evicted: readonly { readonly name: string }[];
  readonly not_found: readonly string[];
  readonly not_activated: readonly string[];
  readonly relisted?: boolean;
  readonly reason?: string;
  readonly next: string;
  readonly server_notes?: readonly { readonly server: string; readonly text: string }[];
  readonly servers: readonly { readonly name: string; readonly status: string }[];
}

async function search(client: SdkClient, query: string, max_results?: number): Promise<Answer> {
  const result = await client.call('tool_search', {
    query,
    ...(max_results !== undefined && { max_results }),
  });
  expect(result.isError).not.toBe(true);
  return result.structuredContent as Answer;
}

const names = async (client: SdkClient): Promise<readonly string[]> =>
  (await client.tools()).map(({ name }) => name);

/** One gateway configuration over both transports, with clients. */
interface Scene {
  readonly place: Place;
  readonly gate: HttpGate;
  client(kind: SdkKind, wire: SdkOptions['wire'], more?: Partial<SdkOptions>): Promise<SdkClient>;
  close(): Promise<void>;
}

async function openScene(settings: object): Promise<Scene> {
  const place = openPlace(settings);
  const gate = await openHttpGate(place);
  const clients: SdkClient[] = [];
  return {
    place,
    gate,
    async client(kind, wire, more = {}) {
      const client = await openSdkClient({ kind, wire, place, gate, ...more });
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await gate.close();
      place.close();
    },
  };
}

const wires = ['stdio', 'http'] as const;
const everyPair = sdkKinds.flatMap((kind) => wires.map((wire) => ({ kind, wire })));
const label = '$kind.sdk $kind.mode over $wire';

describe('lazy tools through call_tool', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(config());
  });
  afterAll(() => scene.close());

  it.each(everyPair)(
    'lists only the search tools, finds and calls others, and keeps its list stable ($kind.sdk $kind.mode, $wire)',
    async ({ kind, wire }) => {
      const client = await scene.client(kind, wire);
      const before = JSON.stringify(await client.tools());
      expect(await names(client)).toEqual(['call_tool', 'tool_search', 'wait_for_servers']);
      const answer = await search(client, 'make a new invoice');
      expect(answer.mode).toBe('call_tool');
      if (wire === 'stdio')
        expect(answer.server_notes).toEqual([{ server: 'office', text: 'Ids are lower case.' }]);
      expect(client.instructions()).not.toContain('lower case');
      expect(answer.matches[0]).toMatchObject({
        name: 'office_create_invoice',
        input_schema: manyTools[0]?.inputSchema,
      });
      const result = await client.call('call_tool', {
        name: 'office_create_invoice',
        arguments: { id: 'a' },
      });
      expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
        name: 'create_invoice',
        arguments: { id: 'a' },
      });
      expect(JSON.stringify(await client.tools())).toBe(before);
    },
  );

  it.each(everyPair)(
    'reports invalid arguments with the schema, and does not call the tool ($kind.sdk $kind.mode, $wire)',
    async ({ kind, wire }) => {
      const client = await scene.client(kind, wire);
      const result = await client.call('call_tool', {
        name: 'office_create_invoice',
        arguments: { count: 'many' },
      });
      expect(result.isError).toBe(true);
      expect(result.content[0]?.text).toMatch(/id is missing[\s\S]*Which invoice is meant/);
    },
  );

  it('reports an unknown tool like an invalid argument, and refuses to call itself', async () => {
    const client = await scene.client(sdkKinds[0], 'stdio');
    const missing = await client.call('call_tool', { name: 'office_nothing', arguments: {} });
    expect(missing.isError).toBe(true);
    expect(missing.content[0]?.text).toMatch(/Unknown tool: office_nothing.*tool_search.*unknown_tool/);
    const again = await client.call('call_tool', { name: 'tool_search', arguments: { query: 'x' } });
    expect(again.content[0]?.text).toMatch(/call_tool can't call tool_search/);
  });

  it('is not slowed down by patterns, and leaves them to the server', async () => {
    const odd = (name: string, schema: object) => ({
      name,
      description: 'Odd.',
      inputSchema: { type: 'object', properties: { value: schema }, required: ['value'] },
    });
    const servers = {
      office: catalogueServer(manyTools),
      odd: catalogueServer([
        odd('slow', { type: 'string', pattern: '^(a+)+$' }),
        odd('unique', { type: 'array', uniqueItems: true }),
        odd('pattern', { type: 'object', properties: { pattern: { type: 'integer' } } }),
      ]),
    };
    const own = await openScene({ builtins: ['tool_search', 'call_tool', 'wait_for_servers'], servers });
    const client = await own.client(sdkKinds[0], 'stdio');
    const call = (name: string, value: unknown) => client.call('call_tool', { name, arguments: { value } });
    expect((await call('odd_slow', `${'a'.repeat(60)}!`)).isError).not.toBe(true);
    const many = Array.from({ length: 20_000 }, (_, at) => ({ at }));
    expect((await call('odd_unique', many)).isError).not.toBe(true);
    // A property named pattern is not a pattern.
    expect((await call('odd_pattern', { pattern: 'x' })).isError).toBe(true);
    await own.close();
  });

  it('accepts arguments as text and under aliases', async () => {
    const client = await scene.client(sdkKinds[0], 'stdio');
    const result = await client.call('call_tool', { tool_name: 'office_share_photo', args: '{"id":"p"}' });
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      name: 'share_photo',
      arguments: { id: 'p' },
    });
  });

  it('explains how to find tools, in a fixed text of less than 2 KB', async () => {
    const client = await scene.client(sdkKinds[0], 'stdio');
    const text = client.instructions() ?? '';
    expect(text).toMatch(/tool_search[\s\S]*office: /);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
    expect(text).not.toMatch(/\d/);
  });

  it.each(everyPair)(
    'shows all tools to a client that defers them itself ($kind.sdk $kind.mode, $wire)',
    async ({ kind, wire }) => {
      const client = await scene.client(kind, wire, { name: 'claude-code' });
      expect(await names(client)).toHaveLength(manyTools.length);
      expect(client.instructions()).toBe('# office\nIds are lower case.');
    },
  );
});

describe('lazy tools with a growing list', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(config({ max_active_schemas: 3 }));
  });
  afterAll(() => scene.close());
  const legacy = everyPair.filter(({ kind }) => kind.protocol === 'legacy');

  it.each(legacy)(
    `lists found tools before the search returns, and removes unused ones: ${label}`,
    async ({ kind, wire }) => {
      const client = await scene.client(kind, wire, { name: 'opencode', obeys: true });
      const first = await search(client, 'translate a recipe', 1);
      expect(first).toMatchObject({
        mode: 'list',
        relisted: true,
        next: 'Next: call office_translate_recipe directly.',
      });
      expect(client.notices.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
      expect((await names(client)).slice(3)).toEqual(['office_translate_recipe']);
      await search(client, 'select:office_share_photo,office_delete_branch');
      await client.call('office_translate_recipe', { id: 'r' });
      const third = await search(client, 'select:office_export_video');
      expect(third.evicted).toEqual([{ name: 'office_delete_branch', idle_calls: 1 }]);
      expect((await names(client)).slice(3)).toEqual([
        'office_translate_recipe',
        'office_share_photo',
        'office_export_video',
      ]);
      const again = await search(client, 'select:office_delete_branch');
      expect(again.matches[0]?.state).toBe('activated');
    },
  );

  it('accepts a call to a deferred tool, and then lists it', async () => {
    const client = await scene.client(sdkKinds[0], 'stdio', { name: 'opencode', obeys: true });
    expect(await names(client)).not.toContain('office_search_ticket');
    expect((await client.call('office_search_ticket', { id: 't' })).isError).not.toBe(true);
    expect(await names(client)).toContain('office_search_ticket');
    const wrong = await client.call('office_search_video', {});
    expect(wrong.content[0]?.text).toMatch(/id is missing[\s\S]*Which video is meant/);
    expect(await names(client)).toContain('office_search_video');
  });

  it('switches a client that does not refresh its list to call_tool, once', async () => {
    const client = await scene.client(sdkKinds[0], 'stdio', { name: 'gemini-cli-mcp-client' });
    const first = await search(client, 'select:office_share_photo');
    expect(first).toMatchObject({ relisted: false });
    expect(first.next).toMatch(/call_tool/);
    const second = await search(client, 'select:office_share_video');
    expect(second.mode).toBe('call_tool');
    expect(second.relisted).toBeUndefined();
  });

  it('sends no notification if nothing changed', async () => {
    const client = await scene.client(sdkKinds[0], 'stdio', { name: 'opencode', obeys: true });
    await search(client, 'select:office_share_photo');
    const before = client.notices.length;
    const list = JSON.stringify(await client.tools());
    await search(client, 'select:office_share_photo');
    await client.call('office_share_photo', { id: 'x' });
    await search(client, '');
    expect(client.notices).toHaveLength(before);
    expect(JSON.stringify(await client.tools())).toBe(list);
  });

  it('does not change the list of a modern client after a search', async () => {
    const client = await scene.client(sdkKinds[2], 'http', { name: 'opencode', obeys: true });
    const before = JSON.stringify(await client.tools());
    expect((await search(client, 'share a photo')).mode).toBe('call_tool');
    expect(JSON.stringify(await client.tools())).toBe(before);
  });
});

describe('lazy tools with nothing to defer', () => {
  it('are byte for byte like a gateway without them', async () => {
    const few = { servers: { office: catalogueServer(manyTools.slice(0, 5)) } };
    const scenes = await Promise.all([
      openScene({ ...few, builtins: ['Read', ...own] }),
      openScene({ ...few, builtins: ['Read', ...own], context: { lazy: 'off' } }),
      openScene({ ...few, builtins: ['Read'] }),
    ]);
    const seen: string[] = [];
    for (const scene of scenes) {
      const client = await scene.client(sdkKinds[0], 'stdio');
      seen.push(JSON.stringify([await client.tools(), client.instructions()]));
    }
    expect(new Set(seen).size).toBe(1);
    await Promise.all(scenes.map((scene) => scene.close()));
  });

  it('include no search tools', async () => {
    const scene = await openScene({ ...config({ lazy: 'on' }), builtins: ['tool_search'] });
    const client = await scene.client(sdkKinds[0], 'stdio');
    expect(await names(client)).toHaveLength(manyTools.length);
    await scene.close();
  });
});

describe('settings of the operator', () => {
  it('pin tools, list servers in full, and accept the other spelling', async () => {
    const servers = {
      office: catalogueServer(manyTools),
      notes: { ...catalogueServer(manyTools.slice(0, 2)), lazy: false },
    };
    const scene = await openScene({
      builtins: own,
      servers,
      tools: { lazy_mcp: true },
      context: { pin: ['*_photo'] },
    });
    const client = await scene.client(sdkKinds[0], 'stdio');
    const listed = await names(client);
    expect(listed.filter((name) => name.startsWith('notes_'))).toHaveLength(2);
    expect(listed.filter((name) => name.startsWith('office_'))).toHaveLength(6);
    const answer = await search(client, 'select:office_share_photo,notes_create_invoice,office_nothing');
    expect(answer.matches.map(({ state }) => state)).toEqual(['always_active', 'always_active']);
    expect(answer.not_found).toEqual(['office_nothing']);
    const claude = await scene.client(sdkKinds[0], 'stdio', { name: 'claude-code' });
    const marked = (await claude.tools()).filter((tool) =>
      JSON.stringify(tool).includes('anthropic/alwaysLoad'),
    );
    expect(marked.map(({ name }) => name)).toEqual(listed.filter((name) => name.endsWith('_photo')));
    await scene.close();
  });

  it('can enable a growing list for modern clients too, kept per credential', async () => {
    const scene = await openScene(config({ delivery: 'list', hold: 0 }));
    const first = await scene.client(sdkKinds[2], 'http');
    expect((await search(first, 'select:office_share_photo')).mode).toBe('list');
    const again = await scene.client(sdkKinds[2], 'http');
    expect(await names(again)).toContain('office_share_photo');
    const token = JSON.parse(
      scene.place.run('token', 'create', '--as', 'agent:bob', '--profile', 'full', '--json').stdout,
    ) as { readonly secret: string };
    const other = await scene.client(sdkKinds[2], 'http', { token: token.secret });
    expect(await names(other)).not.toContain('office_share_photo');
    await scene.close();
  });

  it('can grant the discovery tools, which use the same search, to some principals only', async () => {
    const servers = { office: catalogueServer(manyTools), vault: catalogueServer(manyTools.slice(0, 2)) };
    const scene = await openScene({ builtins: ['*'], servers });
    for (const what of ['server:office', 'discovery_*'])
      expect(scene.place.run('grant', 'agent:alice', what).status).toBe(0);
    const alice = await scene.client(sdkKinds[0], 'stdio', { args: ['--as', 'agent:alice'] });
    expect((await names(alice)).filter((name) => name.startsWith('discovery_'))).toHaveLength(4);
    const found = await alice.call('discovery_search_tools', { query: 'share a photo' });
    expect(found.structuredContent).toMatchObject({ tools: { 0: { name: 'office_share_photo' } } });
    // [16.26] Search tools never appear in search results.
    const own = await alice.call('discovery_search_tools', { query: 'search the tools that you can use' });
    expect(JSON.stringify(own.structuredContent)).not.toContain('"name":"discovery_');
    const listed = await alice.call('discovery_list_servers');
    expect(listed.structuredContent).toMatchObject({ servers: [{ name: 'office' }] });
    const loaded = await alice.call('discovery_load_tools', {
      tool_names: ['office_share_photo', 'vault_create_invoice'],
    });
    expect(loaded.structuredContent).toMatchObject({
      loaded: [{ name: 'office_share_photo', state: 'activated' }],
      rejected: ['vault_create_invoice'],
    });
    const operator = await scene.client(sdkKinds[0], 'stdio');
    expect((await names(operator)).filter((name) => name.startsWith('discovery_'))).toEqual([]);
    await expect(operator.call('discovery_list_servers')).rejects.toThrow('Unknown tool');
    await scene.close();
  });

  it('report slow and failed servers, and an agent can wait for them', async () => {
    const servers = {
      office: catalogueServer(manyTools),
      slow: catalogueServer([{ ...manyTools[0], name: 'paint_ceiling', description: 'Paints.' } as never], {
        CATALOGUE_DELAY: '3500',
      }),
      broken: catalogueServer([], { CATALOGUE_FAIL: '1' }),
    };
    const scene = await openScene({ builtins: own, servers });
    const client = await scene.client(sdkKinds[0], 'stdio');
    await client.tools();
    const early = await search(client, 'select:slow_paint_ceiling');
    expect(early.servers.find(({ name }) => name === 'slow')?.status).toBe('pending');
    const waited = await client.call('wait_for_servers', { servers: ['slow', 'none'], timeout_ms: 10_000 });
    expect(waited.structuredContent).toMatchObject({
      servers: [{ name: 'slow', status: 'connected', tools: 1 }],
      not_found: ['none'],
      all_ready: true,
    });
    // A broken server is restarted from time to time, and is pending meanwhile.
    await vi.waitFor(
      async () => {
        const late = await search(client, 'paint the ceiling');
        expect(late.matches[0]?.name).toBe('slow_paint_ceiling');
        expect(late.servers).toMatchObject([{ name: 'broken', status: 'failed' }]);
      },
      { timeout: 20_000, interval: 100 },
    );
    await scene.close();
  });
});
