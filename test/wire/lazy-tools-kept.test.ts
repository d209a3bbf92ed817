import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { catalogueServer, manyTools } from '../support/catalogue.js';
import { openHttpGate, openPlace } from '../support/gate.js';
import { openSdkClient, type SdkClient, type SdkOptions, sdkKinds } from '../support/sdk-clients.js';

const own = ['tool_search', 'call_tool', 'wait_for_servers'];
const wires = ['stdio', 'http'] as const;

async function open(settings: object, wire: SdkOptions['wire'], more: Partial<SdkOptions> = {}) {
  const place = openPlace({ builtins: own, ...settings });
  const gate = await openHttpGate(place);
  const client = await openSdkClient({ kind: sdkKinds[0], wire, place, gate, ...more });
  onTestFinished(async () => {
    await client.close();
    await gate.close();
    place.close();
  });
  return { client, place };
}

const names = async (client: SdkClient): Promise<readonly string[]> =>
  (await client.tools()).map(({ name }) => name);

async function search(client: SdkClient, query: string) {
  const { structuredContent, content } = await client.call('tool_search', { query });
  return { data: structuredContent as Readonly<Record<string, unknown>>, text: content[0]?.text ?? '' };
}

/** A search by a client that reads its list again when notified. */
async function searchAndList(client: SdkClient, query: string) {
  const told = client.notices.length;
  const answer = search(client, query);
  await vi.waitFor(() => expect(client.notices.length).toBeGreaterThan(told), { timeout: 5000 });
  await client.tools();
  return answer;
}

describe('[16.21] a client that fails to refresh its list once', () => {
  const settings = {
    servers: { office: catalogueServer(manyTools) },
    context: { hold: '400ms', max_active_schemas: 3 },
  };

  it.each(wires)('keeps its active tools, and learns how to call them (%s)', async (wire) => {
    const { client, place } = await open(settings, wire, { name: 'opencode' });
    await client.tools();
    const first = await searchAndList(client, 'select:office_share_photo');
    expect(first.data).toMatchObject({ mode: 'list', relisted: true });
    expect(first.data).not.toHaveProperty('still_active');

    const missed = await search(client, 'select:office_share_video');
    expect(missed.data).toMatchObject({
      mode: 'call_tool',
      relisted: false,
      still_active: ['office_share_photo'],
      next: 'Next: call call_tool with name office_share_video and its arguments.',
    });
    expect(missed.text).toContain(
      'Still active: office_share_photo. Call them by name if they are in your list, otherwise through call_tool.',
    );

    expect((await names(client)).slice(own.length)).toEqual(['office_share_photo', 'office_share_video']);
    for (const name of ['office_share_photo', 'office_share_video'])
      expect((await client.call(name, { id: 'x' })).isError).not.toBe(true);
    const over = await client.call('call_tool', { name: 'office_share_photo', arguments: { id: 'x' } });
    expect(over.isError).not.toBe(true);
    if (wire === 'http')
      expect(JSON.parse(place.run('context', '--json').stdout)).toMatchObject({
        sessions: [
          { mode: 'call_tool', active: [{ name: 'office_share_photo' }, { name: 'office_share_video' }] },
        ],
      });
  });

  it('is notified of later changes and removed tools, but the search does not wait for it', async () => {
    const { client } = await open(settings, 'stdio', { name: 'opencode' });
    await client.tools();
    await search(client, 'select:office_share_photo');
    const told = client.notices.length;
    const later = await search(client, 'select:office_share_video,office_share_recipe,office_share_ticket');
    expect(later.data).toMatchObject({ mode: 'call_tool', evicted: [{ name: 'office_share_photo' }] });
    expect(later.data).not.toHaveProperty('relisted');
    expect(later.text).toContain('Removed from your list to make room: office_share_photo.');
    await vi.waitFor(() => expect(client.notices.length).toBeGreaterThan(told), { timeout: 5000 });
    expect((await names(client)).slice(own.length)).toHaveLength(3);
  });

  it('control: a client whose list never grows keeps its list', async () => {
    const { client } = await open(settings, 'stdio', { name: 'codex-mcp-client' });
    const before = await names(client);
    const { data } = await search(client, 'select:office_share_photo');
    expect(data).toMatchObject({ mode: 'call_tool' });
    expect(data).not.toHaveProperty('still_active');
    expect(await names(client)).toEqual(before);
    expect(client.notices).toEqual([]);
  });
});

describe('[16.27] `lazy: true` for a server', () => {
  const servers = {
    office: { ...catalogueServer(manyTools.slice(0, 12)), lazy: true },
    notes: catalogueServer(manyTools.slice(0, 12)),
  };
  const notes = manyTools.slice(0, 12).map(({ name }) => `notes_${name}`);

  it.each([
    ['context.lazy: off', { context: { lazy: 'off' } }],
    ['tools.lazy_mcp: false', { tools: { lazy_mcp: false } }],
    ['context.lazy: auto, with too little to defer', { context: { defer_above_tokens: 1_000_000 } }],
  ])('defers only that server, with %s', async (_title, settings) => {
    const { client, place } = await open({ servers, ...settings }, 'stdio', {
      name: 'opencode',
      obeys: true,
    });
    expect([...(await names(client))].sort()).toEqual([...own, ...notes].sort());
    expect(client.instructions()).toMatch(/tool_search[\s\S]*- office/);
    expect(client.instructions()).not.toContain('- notes');
    const { data } = await search(client, 'select:office_create_invoice,notes_create_invoice');
    expect(data).toMatchObject({
      mode: 'list',
      matches: [{ state: 'activated' }, { state: 'always_active' }],
    });
    expect(await names(client)).toContain('office_create_invoice');
    expect(JSON.parse(place.run('context', '--config', place.configFile, '--json').stdout)).toMatchObject({
      mode: 'call_tool',
      deferred: { tools: 12 },
    });
  });

  it('control: `lazy: on` also defers the other server, and `false` lists a server', async () => {
    const { client } = await open({ servers, context: { lazy: 'on' } }, 'stdio');
    expect([...(await names(client))].sort()).toEqual([...own].sort());
    const listed = { ...servers, notes: { ...servers.notes, lazy: false } };
    const other = await open({ servers: listed, context: { lazy: 'on' } }, 'stdio');
    expect((await names(other.client)).filter((name) => name.startsWith('notes_'))).toHaveLength(12);
  });

  it('control: a client whose own setting is off sees all tools', async () => {
    const context = { lazy: 'off', clients: { opencode: { lazy: 'off' } } };
    const { client } = await open({ servers, context }, 'stdio', { name: 'opencode' });
    expect(await names(client)).toHaveLength(24);
  });
});
