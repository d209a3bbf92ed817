import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { catalogueServer, manyTools } from '../support/catalogue.js';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';
import { openSdkClient, type SdkClient, type SdkOptions, sdkKinds } from '../support/sdk-clients.js';

const own = ['tool_search', 'call_tool', 'wait_for_servers'];

async function open(settings: object = {}): Promise<{
  readonly place: Place;
  readonly gate: HttpGate;
  client(more: Partial<SdkOptions>): Promise<SdkClient>;
}> {
  const place = openPlace({
    builtins: own,
    servers: { office: catalogueServer(manyTools) },
    ...settings,
  });
  const gate = await openHttpGate(place);
  const clients: SdkClient[] = [];
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await gate.close();
    place.close();
  });
  return {
    place,
    gate,
    async client(more) {
      const client = await openSdkClient({
        ...{ kind: sdkKinds[0], wire: 'http', place, gate, name: 'opencode', obeys: true },
        ...more,
      });
      clients.push(client);
      return client;
    },
  };
}

interface Report {
  readonly sessions: readonly {
    readonly principal: string;
    readonly client?: string;
    readonly mode: string;
    readonly pid?: number;
    readonly active: readonly { readonly name: string }[];
  }[];
}

describe('[16.27] a live `tidegate mcp`', () => {
  it('appears in the report of active tools, over CLI and API, until it ends', async () => {
    const { place, gate, client } = await open();
    const agent = await client({ wire: 'stdio' });
    await agent.tools();
    await agent.call('tool_search', { query: 'select:office_share_photo' });
    const wanted = {
      sessions: [
        {
          client: 'opencode',
          mode: 'list',
          pid: expect.any(Number) as unknown,
          active: [expect.objectContaining({ name: 'office_share_photo' })],
        },
      ],
    };
    const ask = async (): Promise<Report> => {
      const headers = { authorization: `Bearer ${tokenOf(place)}` };
      return (await fetch(`${gate.base}/api/context`, { headers })).json() as Promise<Report>;
    };
    await vi.waitFor(async () => expect(await ask()).toMatchObject(wanted), {
      timeout: 10_000,
      interval: 200,
    });
    expect(JSON.parse(place.run('context', '--json').stdout)).toMatchObject(wanted);
    expect(place.run('context').stdout).toMatch(/tidegate mcp[\s\S]*opencode[\s\S]*office_share_photo/);
    await agent.close();
    await vi.waitFor(async () => expect((await ask()).sessions).toEqual([]), {
      timeout: 10_000,
      interval: 200,
    });
    expect(readdirSync(join(place.env['TIDEGATE_HOME'] ?? '', 'active'))).toEqual([]);
  });

  it('appears in the report without a running `serve`, but not for another configuration', async () => {
    const { place, gate, client } = await open();
    const agent = await client({ wire: 'stdio' });
    await agent.tools();
    await agent.call('office_share_photo', { id: 'x' });
    await gate.close();
    await vi.waitFor(
      () => {
        const { sessions } = JSON.parse(place.run('context', '--json').stdout) as Report;
        expect(sessions.map(({ active }) => active.map(({ name }) => name))).toEqual([
          ['office_share_photo'],
        ]);
      },
      { timeout: 20_000, interval: 200 },
    );
    const elsewhere = openPlace({});
    onTestFinished(() => elsewhere.close());
    const other = place.run('context', '--config', elsewhere.configFile, '--json');
    expect((JSON.parse(other.stdout) as Report).sessions).toEqual([]);
  });

  it('leaves nothing in the report after kill -9', async () => {
    const { place, client } = await open();
    const agent = await client({ wire: 'stdio' });
    await agent.tools();
    await agent.call('office_share_photo', { id: 'x' });
    const folder = join(place.env['TIDEGATE_HOME'] ?? '', 'active');
    await vi.waitFor(() => expect(existsSync(folder) && readdirSync(folder).length).toBe(1), {
      timeout: 10_000,
    });
    const [file = ''] = readdirSync(folder);
    process.kill(Number(file.split('.')[0]), 'SIGKILL');
    await vi.waitFor(
      () => expect((JSON.parse(place.run('context', '--json').stdout) as Report).sessions).toEqual([]),
      { timeout: 20_000, interval: 200 },
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('[16.27] `inherit_active_mcp` for a token', () => {
  it.each([
    ['true', ['office_share_photo']],
    ['false', []],
  ])('%s, with the CLI and the admin API', async (inherits, expected) => {
    const { place, gate, client } = await open();
    const made = (...args: readonly string[]): { readonly secret: string; readonly token: { id: string } } =>
      JSON.parse(place.run('token', ...args, '--json').stdout) as never;
    const parent = made('create', '--as', 'agent:boss', '--profile', 'full');
    const boss = await client({ token: parent.secret });
    await boss.tools();
    await boss.call('tool_search', { query: 'select:office_share_photo' });
    const typed = made('attenuate', '--from', parent.token.id, '--inherit-active-mcp', inherits);
    const response = await fetch(`${gate.base}/api/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(place)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ parent: parent.token.id, inherit_active_mcp: inherits === 'true' }),
    });
    const posted = (await response.json()) as { readonly secret: string };
    for (const { secret } of [typed, posted]) {
      expect(secret).toEqual(expect.any(String));
      const child = await client({ token: secret });
      const listed = (await child.tools()).map(({ name }) => name);
      expect(listed.filter((name) => name.startsWith('office_'))).toEqual(expected);
    }
  });

  it('is refused without a parent, with an invalid value, or twice', async () => {
    const { place, gate } = await open();
    const post = async (body: object): Promise<number> => {
      const response = await fetch(`${gate.base}/api/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokenOf(place)}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.status;
    };
    expect(await post({ principal: 'agent:a', inherit_active_mcp: false })).toBe(400);
    expect(await post({ principal: 'agent:a', inherit_active_mcp: 'no' })).toBe(400);
    expect(await post({ parent: 'tok_x', inherit_active_mcp: false, inheritsActive: true })).toBe(400);
    expect(await post({ principal: 'agent:a' })).toBeLessThan(300);
    const wrong = place.run('token', 'attenuate', '--from', 'tok_x', '--inherit-active-mcp', 'maybe');
    expect(wrong).toMatchObject({ status: 2 });
    expect(wrong.stderr).toContain('usage.bad_value');
  });
});
