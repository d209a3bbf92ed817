import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ada, callerOf, createOpenAccess, eve, openHall } from '../../../test/support/gateway.js';
import { listen, type Reply, send, type Sent, visit } from '../../../test/support/loopback.js';
import { modernParams } from '../../../test/support/peers.js';
import { type Caller, content, type Exchange, type Outcome } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import { createFakeProvider, type FakeHandler } from '../../testing/index.js';
import { type AdminApi, adminOperations, type AdminRequest } from '../../ports/admin-api.js';
import { routes } from '../admin-api/routes.js';
import { createWireCommon } from '../identity.js';
import type { HttpWorkspace } from './open-workspace.js';
import { type HttpServer, serveHttp } from './serve-http.js';

const tokens: Readonly<Record<string, Caller>> = {
  'Bearer ada': callerOf(ada),
  'Bearer twin': callerOf(ada, 'token:twin'),
  'Bearer eve': callerOf(eve),
  'Bearer broken': callerOf({ ...ada, id: 'broken' }),
};
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
let server: HttpServer | undefined;
let warned: unknown[] = [];
/** Invalid credentials, and the listeners to notify. */
const voided = new Set<string>();
const watchers = new Set<() => void>();

function turnVoid(credential: string): void {
  voided.add(credential);
  for (const watcher of watchers) watcher();
}

const refusedAttempts: string[] = [];

/** Every operation returns its arguments. */
const echoes = Object.fromEntries(
  adminOperations.map((name) => [name, async (order: AdminRequest) => ({ value: { name, ...order } })]),
) as unknown as AdminApi['operations'];

const access: Pick<HttpWorkspace, 'identify' | 'credentials' | 'adminApi'> = {
  identify(authorization) {
    if (authorization === 'Bearer outage')
      throw Object.assign(new Error('at postgres://u:p@h'), { code: 'store.unavailable' });
    if (authorization === 'Bearer late-outage') return Promise.reject(new Error('away'));
    if (authorization === 'Bearer late') return Promise.resolve(callerOf(ada, 'token:late'));
    if (authorization === 'Bearer revoked') return { refused: 'token_revoked', tokenId: 'tok_1' };
    const caller = tokens[authorization ?? ''];
    return caller === undefined || voided.has(caller.credential) ? { refused: 'token_unknown' } : caller;
  },
  credentials: {
    isAlive: (credential) => !voided.has(credential),
    onChange(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  },
  adminApi: {
    isAdmin({ principal: { id } }) {
      if (id === 'broken') throw Object.assign(new Error('away'), { code: 'store.unavailable' });
      return id === 'ada';
    },
    refused: (attempt) => refusedAttempts.push(`${attempt.operation} ${attempt.by.principal.id}`),
    missed: ({ wanted, session }) =>
      refusedAttempts.push(`describe ${wanted.kind === 'tool' ? wanted.name : ''} ${session.principal.id}`),
    operations: {
      ...echoes,
      tokens: async ({ by }) => ({ value: { tokens: [], by: by.credential } }),
      createToken: async ({ body, requestId }) => ({ value: { body, requestId } }),
      revokeToken: async ({ parameter }) => {
        if (parameter === 'outage') throw Object.assign(new Error('away'), { code: 'store.unavailable' });
        return parameter === 'tok_1'
          ? { value: { id: parameter } }
          : { refused: { status: 404, code: 'token.not_found', message: 'No such token.' } };
      },
    },
  },
};

afterEach(async () => {
  await server?.close();
  server = undefined;
  warned = [];
  voided.clear();
});

const echo: FakeHandler = (call) => content(JsonText.from({ content: [], echoed: call.params.text }));

async function open(tools: Readonly<Record<string, FakeHandler>> = { echo }): Promise<{
  readonly port: number;
  ask(sent: Sent): Promise<Reply>;
  post(message: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}> {
  const gateway = openHall({ providers: [createFakeProvider('one', tools)], access: createOpenAccess() });
  server = await serveHttp({
    workspaces: [{ folder: '/one', gateway, common: createWireCommon('1', 'run'), ...access }],
    host: '127.0.0.1',
    port: 0,
    now: () => Date.now(),
    warn: (message, fields) => void warned.push({ message, ...fields }),
  });
  const { port } = server;
  const ask = (sent: Sent): Promise<Reply> =>
    send(port, {
      ...sent,
      headers: { host: `127.0.0.1:${port}`, authorization: 'Bearer ada', ...sent.headers },
    });
  const post = (message: unknown, headers = {}): Promise<Reply> =>
    ask({
      method: 'POST',
      path: '/mcp',
      headers: { ...json, ...headers },
      body:
        typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...(message as object) }),
    });
  return { port, ask, post };
}

const hello = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c' } },
};
const call = (id: unknown, name = 'echo') => ({ id, method: 'tools/call', params: { name, arguments: {} } });

async function shakeHands(
  post: (message: unknown, headers?: Readonly<Record<string, string>>) => Promise<Reply>,
  headers = {},
) {
  const reply = await post(hello, headers);
  return { 'mcp-session-id': String(reply.headers['mcp-session-id']), ...headers };
}

const everyRoute: readonly { readonly method: string; readonly path: string }[] = [
  { method: 'GET', path: '/mcp' },
  { method: 'POST', path: '/mcp' },
  { method: 'DELETE', path: '/mcp' },
  { method: 'PUT', path: '/mcp' },
  { method: 'OPTIONS', path: '/mcp' },
  { method: 'GET', path: '/api' },
  ...routes.map(({ method, path }) => ({
    method,
    path: path.replace('{name}', 'echo').replace('{id}', 'tok_1'),
  })),
  { method: 'GET', path: '/nowhere' },
  { method: 'GET', path: '/' },
];

describe('every address', () => {
  it('refuses a foreign host and a foreign origin before it checks the token', async () => {
    const { ask, port } = await open();
    for (const { method, path } of [
      ...everyRoute,
      { method: 'GET', path: '/healthz' },
      { method: 'GET', path: '/readyz' },
    ]) {
      for (const headers of [
        { host: `evil.example:${port}` },
        { host: `127.0.0.1.evil.example:${port}` },
        { host: '127.0.0.1' },
        { origin: 'http://evil.example' },
        { origin: 'null' },
        { origin: `https://127.0.0.1:${port}` },
      ]) {
        expect([path, headers, (await ask({ method, path, headers })).status]).toEqual([path, headers, 403]);
      }
    }
  });

  it('but health refuses a missing or wrong token', async () => {
    const { ask } = await open();
    for (const { method, path } of everyRoute) {
      for (const authorization of ['', 'Bearer', 'Bearer wrong', 'bearer ada', 'Basic ada', 'Bearer ada ']) {
        const { status, headers } = await ask({ method, path, headers: { authorization } });
        // Node trims white space at the end of a header.
        expect([path, authorization, status]).toEqual([
          path,
          authorization,
          authorization.trim() === 'Bearer ada' ? status : 401,
        ]);
        if (status === 401) expect(headers['www-authenticate']).toContain('Bearer');
      }
    }
  });

  it('warns about refused callers once, and without the token', async () => {
    const { ask } = await open();
    await ask({ path: '/api/status' });
    expect(warned).toEqual([]);
    for (let i = 0; i < 5; i += 1) await ask({ path: '/mcp', headers: { authorization: 'Bearer hunter2' } });
    expect(warned).toEqual([
      {
        message: 'refused over HTTP: missing or invalid token',
        count: 1,
        reasons: { token_unknown: 1 },
        address: '127.0.0.1',
      },
    ]);
  });

  it('tells the operator the reason, and the caller nothing', async () => {
    const { ask } = await open();
    const wrong = await ask({ path: '/mcp', headers: { authorization: 'Bearer revoked' } });
    expect(warned).toMatchObject([{ reasons: { token_revoked: 1 }, tokenId: 'tok_1' }]);
    const unknown = await ask({ path: '/mcp', headers: { authorization: 'Bearer nobody' } });
    const plain = ({ status, body, headers: { date: _, ...headers } }: Reply) => ({ status, body, headers });
    expect(plain(wrong)).toEqual(plain(unknown));
  });

  it('refuses two tokens at once, even if the first is valid', async () => {
    const { port } = await open();
    const socket = connect(port, '127.0.0.1');
    const host = `Host: 127.0.0.1:${String(port)}\r\nConnection: close\r\n`;
    socket.end(
      `GET /api/tools HTTP/1.1\r\n${host}Authorization: Bearer ada\r\nAuthorization: Bearer eve\r\n\r\n`,
    );
    let text = '';
    for await (const part of socket) text += String(part);
    expect(text.split('\r\n')[0]).toContain('401');
  });

  it.each(['Bearer outage', 'Bearer late-outage'])(
    'reports only that it cannot identify the caller: %s',
    async (authorization) => {
      const { ask } = await open();
      for (const { method, path } of everyRoute) {
        const { status, headers, body } = await ask({ method, path, headers: { authorization } });
        expect([path, status, headers['retry-after']]).toEqual([path, 503, '2']);
        expect(body).toContain('access.unavailable');
      }
      expect(warned).toHaveLength(1);
      expect(JSON.stringify(warned)).not.toContain('postgres');
    },
  );

  it('admits a caller that the store finds after a delay', async () => {
    const { ask } = await open();
    expect((await ask({ path: '/api/tools', headers: { authorization: 'Bearer late' } })).status).toBe(200);
  });

  it('for health checks answers without a token', async () => {
    const { ask } = await open();
    const headers = { authorization: '' };
    expect(await ask({ path: '/healthz', headers })).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    await vi.waitFor(async () =>
      expect(await ask({ path: '/readyz', headers })).toMatchObject({ status: 200 }),
    );
  });

  it("accepts the gateway's own origin", async () => {
    const { post, port } = await open();
    expect((await post(hello, { origin: `http://localhost:${port}` })).status).toBe(200);
  });
});

describe('a message to /mcp', () => {
  it.each([
    ['no JSON', '{', 400, -32700],
    ['a batch', '[]', 400, -32600],
    ['no request', '{}', 400, -32600],
    ['an empty body', '', 400, -32700],
    ['a message without a session', JSON.stringify({ jsonrpc: '2.0', ...call(1) }), 400, -32600],
  ])('is refused as %s', async (_name, body, status, code) => {
    const { post } = await open();
    const reply = await post(body);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code } });
  });

  it.each([
    'text/plain',
    'application/jsonp',
    '',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])('must be JSON by its header too, so that no web form can send it: %j', async (type) => {
    const { post } = await open();
    expect((await post(hello, { 'content-type': type })).status).toBe(415);
  });

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON'])('may be %s', async (type) => {
    const { post } = await open();
    expect((await post(hello, { 'content-type': type })).status).toBe(200);
  });

  it('with an unsupported HTTP method is refused', async () => {
    const { ask } = await open();
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'DELETE', 'GET']) {
      const { status, headers } = await ask({ method, path: '/mcp' });
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, POST, DELETE']);
    }
  });

  it('with line breaks reaches the target as one line', async () => {
    const seen: string[] = [];
    const { post } = await open({
      echo: (admitted) => {
        seen.push(admitted.params.text);
        return content(new JsonText('{\n"content":[]\r\n}'));
      },
    });
    const session = await shakeHands(post);
    const reply = await post(JSON.stringify({ jsonrpc: '2.0', ...call(2) }, undefined, 2), session);
    expect(seen[0]).not.toMatch(/[\r\n]/);
    expect(reply.body).not.toMatch(/[\r\n]/);
  });
});

describe('a stateful session', () => {
  it('is opened by the handshake and closed by its owner', async () => {
    const { post, ask } = await open();
    const session = await shakeHands(post);
    expect((await post(call(2), session)).status).toBe(200);
    expect((await post({ method: 'notifications/initialized' }, session)).status).toBe(202);
    expect((await ask({ method: 'DELETE', path: '/mcp', headers: session })).status).toBe(200);
    expect((await post(call(3), session)).status).toBe(404);
    expect((await ask({ method: 'DELETE', path: '/mcp', headers: session })).status).toBe(404);
  });

  it('is hidden from other callers', async () => {
    const { post, ask } = await open();
    const session = await shakeHands(post);
    const stolen = { ...session, authorization: 'Bearer eve' };
    expect((await post(call(2), stolen)).status).toBe(404);
    expect((await ask({ method: 'DELETE', path: '/mcp', headers: stolen })).status).toBe(404);
    expect((await ask({ path: '/mcp', headers: { ...stolen, accept: 'text/event-stream' } })).status).toBe(
      404,
    );
    // The control: its owner finds it.
    expect((await post(call(2), session)).status).toBe(200);
  });

  it('is hidden from another token of the same principal', async () => {
    const { post } = await open();
    const session = await shakeHands(post);
    expect((await post(call(2), { ...session, authorization: 'Bearer twin' })).status).toBe(404);
    expect((await post(call(2), session)).status).toBe(200);
  });

  it('ends, with its stream and all that runs in it, when its token becomes invalid', async () => {
    const exchanges: Exchange[] = [];
    const { port, post } = await open({
      echo,
      hang: (_call, exchange) => {
        exchanges.push(exchange);
        return new Promise<Outcome>(() => {});
      },
    });
    const [mine, hers] = [await shakeHands(post), await shakeHands(post, { authorization: 'Bearer eve' })];
    const headers = { host: `127.0.0.1:${String(port)}`, authorization: 'Bearer ada', ...json, ...mine };
    const stream = await listen(port, { path: '/mcp', headers });
    const running = post(call(2, 'hang'), mine);
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    turnVoid('token:ada');
    await stream.ended;
    expect((await running).status).toBe(401);
    expect(exchanges[0]?.isCancelled).toBe(true);
    expect((await post(call(3), mine)).status).toBe(401);
    expect((await post(call(3), hers)).status).toBe(200);
    // A valid token does not bring back a closed session either.
    voided.clear();
    expect((await post(call(4), mine)).status).toBe(404);
  });

  it('keeps equal ids of two sessions apart', async () => {
    const { post } = await open();
    const [one, two] = [await shakeHands(post), await shakeHands(post, { authorization: 'Bearer eve' })];
    const asked = (mark: string) => ({
      id: 7,
      method: 'tools/call',
      params: { name: 'echo', arguments: { mark } },
    });
    const replies = await Promise.all([post(asked('one'), one), post(asked('two'), two)]);
    expect(replies.map(({ body }) => [body.includes('one'), body.includes('two')])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('with an unknown protocol version is refused', async () => {
    const { post } = await open();
    const session = await shakeHands(post);
    expect((await post(call(2), { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await post(call(3), { ...session, 'mcp-protocol-version': '2025-06-18' })).status).toBe(200);
  });

  it('has a stream for messages that belong to no request', async () => {
    const provider = createFakeProvider('one', { a: echo });
    server = await serveHttp({
      workspaces: [
        {
          folder: '/one',
          gateway: openHall({ providers: [provider] }),
          common: createWireCommon('1', 'run'),
          ...access,
          identify: () => callerOf(ada),
        },
      ],
      host: '127.0.0.1',
      port: 0,
      now: () => Date.now(),
      warn: () => undefined,
    });
    const { port } = server;
    const headers = { host: `localhost:${port}`, ...json };
    const first = await send(port, {
      method: 'POST',
      path: '/mcp',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...hello }),
    });
    const session = { ...headers, 'mcp-session-id': String(first.headers['mcp-session-id']) };
    expect(
      (await send(port, { path: '/mcp', headers: { ...session, accept: 'application/json' } })).status,
    ).toBe(406);
    const stream = await listen(port, { path: '/mcp', headers: session });
    expect(stream.status).toBe(200);
    provider.offer({ b: echo });
    await vi.waitFor(() => expect(stream.text()).toContain('notifications/tools/list_changed'));
  });

  it('is not cancelled when the client loses its connection', async () => {
    const exchanges: Exchange[] = [];
    const { port, post } = await open({
      hang: (_call, exchange) => {
        exchanges.push(exchange);
        return new Promise<Outcome>(() => {});
      },
    });
    const session = await shakeHands(post);
    const headers = { host: `127.0.0.1:${port}`, authorization: 'Bearer ada', ...json, ...session };
    const body = JSON.stringify({ jsonrpc: '2.0', ...call(2, 'hang') });
    const client = visit(port, { method: 'POST', path: '/mcp', headers, body });
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    client.leave();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(exchanges[0]?.isCancelled).toBe(false);
    await post({ method: 'notifications/cancelled', params: { requestId: 2 } }, session);
    await vi.waitFor(() => expect(exchanges[0]?.isCancelled).toBe(true));
  });
});

describe('a stateless request', () => {
  const modern = (method: string, name?: string) => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  });

  it('needs no session, but headers that match its body', async () => {
    const { post } = await open();
    const message = { id: 1, method: 'tools/call', params: modernParams({ name: 'echo' }) };
    expect((await post(message, modern('tools/call', 'echo'))).status).toBe(200);
    for (const headers of [
      {},
      modern('tools/list', 'echo'),
      modern('tools/call', 'other'),
      modern('tools/call'),
    ]) {
      const reply = await post(message, headers);
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.body)).toMatchObject({ id: 1, error: { code: -32020 } });
    }
  });

  it('with an unknown method is 404, without an envelope 400', async () => {
    const { post } = await open();
    expect((await post({ id: 1, method: 'ping', params: modernParams() }, modern('ping'))).status).toBe(404);
    const reply = await post({ id: 1, method: 'tools/list', params: {} }, modern('tools/list'));
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: -32602 } });
  });

  it('is cancelled when its client closes the connection', async () => {
    const exchanges: Exchange[] = [];
    const { port } = await open({
      hang: (_call, exchange) => {
        exchanges.push(exchange);
        exchange.progress(JsonText.from({ progress: 1 }));
        return new Promise<Outcome>(() => {});
      },
    });
    const headers = {
      host: `127.0.0.1:${port}`,
      authorization: 'Bearer ada',
      ...json,
      ...modern('tools/call', 'hang'),
    };
    const params = modernParams({ name: 'hang' }, {}, { progressToken: 1 });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const client = await listen(port, { method: 'POST', path: '/mcp', headers, body });
    await vi.waitFor(() => expect(client.text()).toContain('notifications/progress'));
    client.leave();
    await vi.waitFor(() => expect(exchanges[0]?.isCancelled).toBe(true));
  });

  it('ends when its token becomes invalid, whether it listens or runs', async () => {
    const exchanges: Exchange[] = [];
    const { port, post } = await open({
      hang: (_call, exchange) => {
        exchanges.push(exchange);
        return new Promise<Outcome>(() => {});
      },
    });
    const own = (authorization: string) => ({ host: `127.0.0.1:${String(port)}`, authorization, ...json });
    const params = modernParams({ notifications: { toolsListChanged: true } });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 's', method: 'subscriptions/listen', params });
    const [mine, hers] = await Promise.all(
      ['Bearer ada', 'Bearer eve'].map((authorization) =>
        listen(port, {
          method: 'POST',
          path: '/mcp',
          headers: { ...own(authorization), ...modern('subscriptions/listen') },
          body,
        }),
      ),
    );
    await vi.waitFor(() => expect(hers?.text()).toContain('acknowledged'));
    const running = post(
      { id: 1, method: 'tools/call', params: modernParams({ name: 'hang' }) },
      modern('tools/call', 'hang'),
    );
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    turnVoid('token:ada');
    await mine?.ended;
    expect((await running).status).toBe(401);
    expect(exchanges[0]?.isCancelled).toBe(true);
    let hasEnded = false;
    void hers?.ended.then(() => (hasEnded = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(false);
    hers?.leave();
  });

  it('that listens gets its result when the server closes', async () => {
    const { port } = await open();
    const headers = {
      host: `127.0.0.1:${port}`,
      authorization: 'Bearer ada',
      ...json,
      ...modern('subscriptions/listen'),
    };
    const params = modernParams({ notifications: { toolsListChanged: true } });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 's', method: 'subscriptions/listen', params });
    const client = await listen(port, { method: 'POST', path: '/mcp', headers, body });
    await vi.waitFor(() => expect(client.text()).toContain('acknowledged'));
    await server?.close();
    server = undefined;
    await client.ended;
    expect(client.text()).toContain('"resultType":"complete"');
  });
});

describe('the admin API', () => {
  it('reports on the gateway', async () => {
    const { ask } = await open();
    const get = async (path: string): Promise<unknown> => JSON.parse((await ask({ path })).body) as unknown;
    expect(await get('/api/status')).toEqual({ version: '1', sessions: 0 });
    expect(await get('/api/servers')).toMatchObject({
      servers: [{ id: 'one', state: 'ready' }],
      collisions: [],
    });
    expect(await get('/api/tools')).toMatchObject({ tools: [{ name: 'echo' }] });
    expect(await get('/api/tools/echo')).toMatchObject({
      source: 'server:one',
      definition: { name: 'echo' },
    });
    expect(await get('/api/openapi.json')).toMatchObject({ openapi: '3.1.0' });
    expect((await ask({ path: '/api/status' })).headers['cache-control']).toBe('no-store');
  });

  const forAdmins = routes.filter(({ isForAdmins }) => isForAdmins);

  it('shows servers, counts, tokens and grants only to admins', async () => {
    const { ask } = await open();
    expect(forAdmins.map(({ operation }) => operation)).toEqual([
      'status',
      'servers',
      'context',
      'tokens',
      'createToken',
      'revokeToken',
      'profiles',
      'profile',
      'principal',
      'assignProfile',
      'grant',
      'revoke',
      'check',
      'explain',
      'exportAccess',
      'importAccess',
      'testAccess',
      'audit',
      'pruneAudit',
    ]);
    refusedAttempts.length = 0;
    for (const { method, path: pattern } of forAdmins) {
      const path = pattern.replace('{id}', 'tok_1').replace(/\{\w+\}/, 'x');
      const body = method === 'POST' ? '{}' : '';
      const refused = await ask({ method, path, headers: { authorization: 'Bearer eve' }, body });
      expect([path, refused.status]).toEqual([path, 403]);
      expect(refused.body).toContain('access.admin_required');
      // The control: an admin gets an answer.
      expect((await ask({ method, path, body })).status).toBe(200);
      const broken = await ask({ method, path, headers: { authorization: 'Bearer broken' }, body });
      expect([path, broken.status]).toEqual([path, 503]);
    }
    expect((await ask({ path: '/api/tools', headers: { authorization: 'Bearer eve' } })).status).toBe(200);
    expect(refusedAttempts).toEqual(forAdmins.map(({ operation }) => `${operation} eve`));
    expect((await ask({ path: '/api/tools/gone' })).status).toBe(404);
    expect(refusedAttempts.at(-1)).toBe('describe gone ada');
  });

  it('creates, lists and revokes tokens', async () => {
    const { ask } = await open();
    expect(JSON.parse((await ask({ path: '/api/tokens' })).body)).toEqual({ tokens: [], by: 'token:ada' });
    const made = await ask({ method: 'POST', path: '/api/tokens', body: '{"principal":"agent:a"}' });
    expect(JSON.parse(made.body)).toMatchObject({
      body: { principal: 'agent:a' },
      requestId: expect.stringMatching(/^run-/),
    });
    expect((await ask({ method: 'POST', path: '/api/tokens', body: '[]' })).status).toBe(400);
    expect((await ask({ method: 'DELETE', path: '/api/tokens/tok_1' })).status).toBe(200);
    const missing = await ask({ method: 'DELETE', path: '/api/tokens/tok_2' });
    expect(missing).toMatchObject({ status: 404 });
    expect(missing.body).toContain('token.not_found');
    expect((await ask({ method: 'DELETE', path: '/api/tokens/outage' })).status).toBe(503);
  });

  it('passes on path, query and body', async () => {
    const { ask } = await open();
    const told = async (method: string, path: string, body = ''): Promise<unknown> => {
      const headers = { authorization: 'Bearer ada', 'content-length': String(body.length) };
      return JSON.parse((await ask({ method, path, body, headers })).body);
    };
    const principal = encodeURIComponent('agent:run/1');
    expect(await told('PUT', `/api/principals/${principal}/profile`, '{"profile":"coding"}')).toMatchObject({
      name: 'assignProfile',
      parameter: 'agent:run/1',
      body: { profile: 'coding' },
      query: {},
    });
    expect(await told('GET', '/api/check?principal=agent%3Aa&what=a%20b')).toMatchObject({
      name: 'check',
      query: { principal: 'agent:a', what: 'a b' },
      body: {},
    });
    expect(await told('DELETE', '/api/grants', '{"principal":"agent:a"}')).toMatchObject({
      name: 'revoke',
      body: { principal: 'agent:a' },
    });
    expect((await ask({ path: '/api/check?what=a&what=b' })).status).toBe(400);
    expect((await ask({ method: 'PUT', path: '/api/principals/x/profile', body: '[]' })).status).toBe(400);
  });

  it.each([
    '/api',
    '/api/',
    '/api/nothing',
    '/api/tools/',
    '/api/openapiXjson',
    '/api/tools/a/b',
    '/api/tools/echo/call',
    '/api/tools/echo/',
    '/api/../mcp',
  ])('does not know GET %s', async (path) => {
    const { ask } = await open();
    expect((await ask({ path })).status).toBe(404);
  });

  it('finds a tool by its encoded name, and nothing else', async () => {
    const { ask } = await open({ 'a b/ü': echo });
    expect((await ask({ path: `/api/tools/${encodeURIComponent('a b/ü')}` })).status).toBe(200);
    expect((await ask({ path: '/api/tools/%' })).status).toBe(404);
    expect((await ask({ path: '/api/tools/absent' })).body).toContain('tool.not_found');
  });

  it('calls a tool with the arguments as written, on one line', async () => {
    const seen: string[] = [];
    const { ask } = await open({
      echo: (admitted) => {
        seen.push(admitted.params.text);
        return content(JsonText.from({ content: [] }));
      },
    });
    const reply = await ask({
      method: 'POST',
      path: '/api/tools/echo/call',
      body: '{\n  "n": 12345678901234567890\n}',
    });
    expect(reply).toMatchObject({ status: 200, body: '{"content":[]}' });
    expect(seen).toEqual(['{"name":"echo","arguments":{   "n": 12345678901234567890 }}']);
    expect((await ask({ method: 'POST', path: '/api/tools/echo/call' })).status).toBe(200);
  });

  it.each(['[]', '5', '"x"', 'null', '{', '{}{}'])('refuses %s as arguments', async (body) => {
    const { ask } = await open();
    const reply = await ask({ method: 'POST', path: '/api/tools/echo/call', body });
    expect(reply.status).toBe(400);
    expect(reply.body).toContain('input.invalid');
  });

  it('cancels a call when its client disconnects', async () => {
    const exchanges: Exchange[] = [];
    const { port } = await open({
      hang: (_call, exchange) => {
        exchanges.push(exchange);
        return new Promise<Outcome>(() => {});
      },
    });
    const headers = { host: `127.0.0.1:${port}`, authorization: 'Bearer ada' };
    const visitor = visit(port, { method: 'POST', path: '/api/tools/hang/call', headers, body: '{}' });
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    visitor.leave();
    await vi.waitFor(() => expect(exchanges[0]?.isCancelled).toBe(true));
  });

  it('distinguishes absent tools from failed ones', async () => {
    const { ask } = await open({
      asks: (_call, exchange) =>
        Promise.resolve({
          kind: 'asks',
          questions: JsonText.from({ k: { method: 'roots/list' } }),
          ...(exchange.asking === 'rounds' && { state: 's' }),
        }),
    });
    const post = (name: string): Promise<Reply> =>
      ask({ method: 'POST', path: `/api/tools/${name}/call`, body: '{}' });
    expect(await post('absent')).toMatchObject({ status: 404 });
    expect(await post('asks')).toMatchObject({ status: 502 });
    expect((await post('asks')).body).toContain('ask.unsupported');
  });
});

describe('a request with very many headers', () => {
  it('is checked in full', async () => {
    const { port } = await open();
    const many = Array.from({ length: 1100 }, () => 'x: 1\r\n').join('');
    const ask = async (origin: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      socket.end(
        `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${many}Origin: ${origin}\r\n\r\n`,
      );
      let text = '';
      for await (const part of socket) text += String(part);
      return text.split('\r\n')[0] ?? '';
    };
    expect(await ask('http://evil.example')).toContain('403');
    expect(await ask(`http://127.0.0.1:${port}`)).toContain('200');
  });
});

describe('arguments over the admin API', () => {
  it('are limited in depth', async () => {
    const { ask } = await open();
    const deep = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const sent = { method: 'POST', path: '/api/tools/echo/call', headers: json };
    expect(await ask({ ...sent, body: deep })).toMatchObject({ status: 400 });
    expect(await ask({ ...sent, body: '{"a":[[]]}' })).toMatchObject({ status: 200 });
  });
});
