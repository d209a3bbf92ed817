import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenCommands, type TokenCommands } from '../support/client-tokens.js';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import {
  type HttpClient,
  modernHeaders,
  openHttpClient,
  openLegacySession,
  type Posted,
} from '../support/http-client.js';
import { envelope } from '../support/line-client.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { tokenOf } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const script = {
  lists: { 'tools/list': ['{"name":"one","inputSchema":{"type":"object"}}'] },
  answers: { 'tools/call': { one: { result: '{"content":[]}' } } },
};

let database: PostgresServer;
let upstream: ScriptedUpstream;
let place: Place;
let gates: readonly HttpGate[];
let clients: readonly HttpClient[];
let tokens: TokenCommands;
let said = '';

beforeAll(async () => {
  [database, upstream] = await Promise.all([openPostgresServer(), openScripted('stdio', 'modern', script)]);
  const url = await database.createDatabase();
  place = openPlace({ servers: { up: upstream.entry }, store: { kind: 'postgres', url } });
  tokens = tokenCommands(place);
  gates = [await openHttpGate(place), await openHttpGate(place)];
  for (const { child } of gates) child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  clients = gates.map(({ base }) => openHttpClient(base));
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(gates.map((gate) => gate.close()));
  await Promise.all([upstream.close(), database.close()]);
  place.close();
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

function ask(client: HttpClient, secret: string, method: string, params: object): Promise<Posted> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope() } });
  const name = method === 'tools/call' ? 'up_one' : undefined;
  return client.send('/mcp', body, {
    headers: { ...modernHeaders(method, name), ...bearer(secret) },
    limitMs: 60_000,
  });
}

const callAll = (secret: string): Promise<readonly number[]> =>
  Promise.all(
    clients.map(async (client) => (await ask(client, secret, 'tools/call', { name: 'up_one' })).status),
  );

describe('two gateways on one PostgreSQL', () => {
  it('both accept a token, and both refuse it from the first request after it was revoked', async () => {
    for (let round = 0; round < 3; round += 1) {
      const parent = await tokens.create('agent:alice', '--profile', 'full');
      const child = await tokens.attenuate(parent.secret);
      for (const { secret } of [parent, child]) expect(await callAll(secret)).toEqual([200, 200]);
      await tokens.revoke(parent.id);
      for (const { secret } of [parent, child]) expect(await callAll(secret)).toEqual([401, 401]);
    }
  });

  it('are seen by doctor: the store answers, and one gateway uses its port', () => {
    const { stdout, status } = place.run('doctor', '--only', 'store,serve');
    expect([stdout, status]).toEqual([expect.stringMatching(/ok +Store +PostgreSQL at 127\.0\.0\.1:/), 0]);
    expect(stdout).toMatch(/ok +HTTP port +Tidegate is serving at http/);
  });

  it('end the sessions and streams of a token that was revoked on the other one', async () => {
    const { secret, id } = await tokens.create('agent:alice', '--profile', 'full');
    const open = await Promise.all(
      clients.map(async (client) => {
        const session = await openLegacySession(client, {}, bearer(secret));
        return [
          client.send('/mcp', '', { method: 'GET', headers: session, limitMs: 60_000 }),
          ask(client, secret, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
        ];
      }),
    );
    await tokens.revoke(id);
    const ends = await Promise.all(open.flat());
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('accept only the operator while it is down, and all tokens again afterwards', async () => {
    const { secret } = await tokens.create('agent:alice', '--profile', 'full');
    expect(await callAll(secret)).toEqual([200, 200]);
    await database.stop();
    expect(await callAll(secret)).toEqual([503, 503]);
    expect(await callAll(tokenOf(place))).toEqual([200, 200]);
    await database.start();
    await waitFor(
      async () => (await callAll(secret)).every((status) => status === 200),
      30_000,
      () => `the gateways did not recover: ${said.slice(-2000)}`,
    );
    expect(said).not.toMatch(/postgres(?:ql)?:\/\/[^\s"]*:[^\s"]*@/);
  });
});
