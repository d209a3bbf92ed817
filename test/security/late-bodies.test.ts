import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeToken, openAccessPlace, runJson, runOk } from '../support/access-place.js';
import { openHttpGate } from '../support/gate.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { tokenOf } from '../support/raw-client.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await openPostgresServer();
}, 120_000);
afterAll(() => server.close());

interface Late {
  readonly secret: string;
  readonly path: string;
  readonly body: string;
}

/** Sends the headers and one byte of the body, does something, then sends the rest. Gives the status. */
async function sendLate(
  base: string,
  { secret, path, body }: Late,
  between: () => Promise<unknown>,
): Promise<number> {
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${secret}`];
  const more = ['Accept: application/json, text/event-stream', 'Content-Type: application/json'];
  const length = `Content-Length: ${String(body.length)}`;
  socket.write([...head, ...more, length, '', body.slice(0, 1)].join('\r\n'));
  // The gateway has judged the headers once it answers another request.
  await fetch(`${base}/healthz`);
  await between();
  socket.write(body.slice(1));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(answer.toString().split(' ')[1]);
}

it('[15.42] a request that an admin started on one replica is refused after a revoke on another', async () => {
  const url = await server.createDatabase();
  const place = openAccessPlace({ builtins: ['*'], store: { kind: 'postgres', url } });
  const [one, other] = [await openHttpGate(place), await openHttpGate(place)];
  const operator = { authorization: `Bearer ${tokenOf(place)}` };
  const asked = async (method: string, path: string, body?: string) => {
    const answer = await fetch(other.base + path, { method, headers: operator, ...(body && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  const admin = '{"principal":"user:eve","admin":true}';
  expect((await asked('POST', '/api/grants', admin)).status).toBe(200);
  const eve = await makeToken(place, '--as', 'user:eve');
  const orders = [
    { path: '/api/grants', body: '{"principal":"user:mallory","admin":true}' },
    { path: '/api/tokens', body: '{"principal":"user:mallory"}' },
    { path: '/api/audit/prune', body: '{"olderThan":"1m"}' },
  ];
  const nothing = (): Promise<void> => Promise.resolve();
  // Control: while the right lasts, late bodies are taken.
  const harmless = { path: '/api/grants', body: '{"principal":"user:bob","what":"Read"}' };
  expect(await sendLate(one.base, { secret: eve.secret, ...harmless }, nothing)).toBe(200);
  expect(
    await sendLate(
      one.base,
      { secret: eve.secret, path: '/api/audit/prune', body: '{"olderThan":"9y"}' },
      nothing,
    ),
  ).toBe(200);

  for (const order of orders) {
    await asked('POST', '/api/grants', admin);
    const status = await sendLate(one.base, { secret: eve.secret, ...order }, async () => {
      expect((await asked('DELETE', '/api/grants', admin)).status).toBe(200);
    });
    expect([order.path, status]).toEqual([order.path, 403]);
  }
  await asked('POST', '/api/grants', admin);
  for (const order of orders) {
    const token = await makeToken(place, '--as', 'user:eve');
    const status = await sendLate(one.base, { secret: token.secret, ...order }, async () => {
      expect((await asked('DELETE', `/api/tokens/${token.id}`)).status).toBe(200);
    });
    expect([order.path, status === 401 || status === 403]).toEqual([order.path, true]);
  }
  expect((await asked('GET', '/api/principals/user:mallory')).text).not.toContain('"admin":true');
  expect((await asked('GET', '/api/tokens')).text).not.toContain('user:mallory');
  await Promise.all([one.close(), other.close()]);
  place.close();
}, 180_000);

it('[15.42] a token revoked before the body of initialize arrived opens no session', async () => {
  const place = openAccessPlace({ builtins: ['*'] });
  const gate = await openHttpGate(place);
  const token = await makeToken(place, '--as', 'agent:alice');
  const params = '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}';
  const hello = {
    secret: token.secret,
    path: '/mcp',
    body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`,
  };
  // Control: the same late body with a good token opens one.
  expect(await sendLate(gate.base, hello, () => runOk(place, 'token', 'list'))).toBe(200);
  expect(await sendLate(gate.base, hello, () => runOk(place, 'token', 'revoke', token.id))).toBe(401);
  await gate.close();
  place.close();
}, 120_000);

it('[15.50] a revoke during 200 parallel grants succeeds and stays in effect', async () => {
  const place = openAccessPlace({ builtins: ['*'] }, { default_profile: 'none', profiles: {} });
  await runOk(place, 'grant', 'agent:alice', 'Read');
  const { secret } = await makeToken(place, '--as', 'agent:alice');
  const gate = await openHttpGate(place);
  const headers = { authorization: `Bearer ${tokenOf(place)}` };
  const change = async (method: string, principal: string): Promise<number> => {
    const body = JSON.stringify({ principal, what: 'Read' });
    return (await fetch(`${gate.base}/api/grants`, { method, headers, body })).status;
  };
  const tools = async (): Promise<string> =>
    (await fetch(`${gate.base}/api/tools`, { headers: { authorization: `Bearer ${secret}` } })).text();
  // Control: before the revoke the tool is there.
  expect(await tools()).toContain('"Read"');
  let isFirst = true;
  let revoked: Promise<number> | undefined;
  const grants = Array.from({ length: 200 }, async (_, index) => {
    const status = await change('POST', `agent:a${String(index)}`);
    // While the others are under way.
    if (isFirst) revoked = change('DELETE', 'agent:alice');
    isFirst = false;
    return status;
  });
  const statuses = await Promise.all(grants);
  expect(await revoked).toBe(200);
  expect(await tools()).not.toContain('"Read"');
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  await gate.close();
  place.close();
}, 180_000);

it.each(['sqlite', 'postgres'] as const)(
  '[15.50] 100 grants and 100 revokes at once on two gateways all succeed: %s',
  async (kind) => {
    const store = kind === 'postgres' ? { store: { kind, url: await server.createDatabase() } } : {};
    const place = openAccessPlace({ builtins: ['*'], ...store }, { default_profile: 'none', profiles: {} });
    const gates = [await openHttpGate(place), await openHttpGate(place)];
    const headers = { authorization: `Bearer ${tokenOf(place)}` };
    const change = async (method: string, principal: string, index: number): Promise<string> => {
      const body = JSON.stringify({ principal, what: 'Read' });
      const answer = await fetch(`${gates[index % 2]?.base ?? ''}/api/grants`, { method, headers, body });
      return answer.status === 200 ? 'done' : `${method} ${String(answer.status)} ${await answer.text()}`;
    };
    const all = (name: string): readonly string[] =>
      Array.from({ length: 100 }, (_, index) => `agent:${name}${String(index)}`);
    const granted = await Promise.all(all('old').map((name, index) => change('POST', name, index)));
    expect(granted.filter((one) => one !== 'done')).toEqual([]);
    const before = JSON.stringify(await runJson(place, 'access', 'export'));
    // The control: what the revokes take away is there.
    for (const name of all('old')) expect(before).toContain(`${name.replace(':', '/')}"`);
    const changes = all('new').flatMap((name, index) => [
      change('POST', name, index),
      change('DELETE', `agent:old${String(index)}`, index + 1),
    ]);
    expect((await Promise.all(changes)).filter((one) => one !== 'done')).toEqual([]);
    const after = JSON.stringify(await runJson(place, 'access', 'export'));
    for (const name of all('new')) expect(after).toContain(`${name.replace(':', '/')}"`);
    for (const name of all('old')) expect(after).not.toContain(`${name.replace(':', '/')}"`);
    await Promise.all(gates.map((gate) => gate.close()));
    place.close();
  },
  240_000,
);
