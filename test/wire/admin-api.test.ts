import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

interface OpenApi {
  readonly openapi: string;
  readonly security: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly { readonly in: string; readonly required?: boolean }[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

let place: Place;
let gate: HttpGate;
let upstream: ScriptedUpstream;
let token: string;
let said = '';

beforeAll(async () => {
  const definition = '{"name":"a","inputSchema":{"type":"object"},"x-unknown":12345678901234567890}';
  const strange = '{"name":"a/ä b","inputSchema":{"type":"object"}}';
  upstream = await openScripted('stdio', 'modern', {
    lists: {
      'tools/list': [
        definition,
        strange,
        '{"name":"asks","inputSchema":{"type":"object"}}',
        '{"name":"refused","inputSchema":{"type":"object"}}',
      ],
    },
    answers: {
      'tools/call': {
        a: { result: '{"content":[],"x":1e400}' },
        'a/ä b': { result: '{"content":[{"type":"text","text":"strange"}]}' },
        asks: { result: '{"content":[]}', asks: { q: '{"method":"roots/list","params":{}}' } },
        refused: { error: '{"code":-32050,"message":"no"}' },
      },
    },
  });
  place = openPlace({ servers: { up: upstream.entry, off: { command: 'nothing-here', enabled: false } } });
  gate = await openHttpGate(place);
  gate.child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  token = tokenOf(place);
});
afterAll(async () => {
  await gate.close();
  place.close();
  await upstream.close();
});

/** Node's own client, because `fetch` will not send a foreign Host. */
function ask(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${gate.base}${path}`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const json = { 'content-type': 'application/json' };

/** Every path of the gateway, with every method a client might try. */
async function everyRoute(): Promise<readonly (readonly [string, string])[]> {
  const { text } = await ask('GET', '/api/openapi.json', bearer(token));
  const described = Object.entries((JSON.parse(text) as OpenApi).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => [method.toUpperCase(), path.replace('{name}', 'up_a').replace(/\{.*\}/, 'x')] as const,
    ),
  );
  const others = [
    '/mcp',
    '/api',
    '/api/',
    '/api/nothing',
    '/',
    '/nothing',
    '/.well-known/oauth-protected-resource',
    '/mcp/',
    '//mcp',
    '/api/../mcp',
    '/%6dcp',
  ];
  return [
    ...described,
    ...others.flatMap((path) =>
      ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS'].map((method) => [method, path] as const),
    ),
  ];
}

it('logs one warning for many wrong tokens', async () => {
  for (let i = 0; i < 20; i += 1) await ask('GET', '/mcp', bearer(`wrong-${String(i)}`));
  const warnings = () => said.split('\n').filter((line) => line.includes('refused over HTTP'));
  await waitFor(
    () => warnings().length > 0,
    5000,
    () => `the gateway logged ${said}`,
  );
  expect(warnings()).toHaveLength(1);
  expect(JSON.parse(warnings()[0] ?? '')).toMatchObject({ level: 'warn', count: 1, address: '127.0.0.1' });
  expect(said).not.toContain('wrong-');
});

describe('the health addresses', () => {
  it('need no token and reveal nothing', async () => {
    expect(await ask('GET', '/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    await waitFor(
      async () => (await ask('GET', '/readyz')).status === 200,
      5000,
      () => 'the gateway does not become ready',
    );
    expect(await ask('GET', '/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  });

  it('reject requests with a foreign Host', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await ask('GET', path, { host: 'evil.example' })).status).toBe(403);
      expect((await ask('GET', path, { origin: 'http://evil.example' })).status).toBe(403);
    }
  });
});

describe('every other address', () => {
  const wrong: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
    'no token': () => ({}),
    'a wrong token': () => bearer('tg_wrong'),
    'an empty token': () => ({ authorization: 'Bearer ' }),
    'the token with another scheme': () => ({ authorization: `Basic ${token}` }),
    'the token without a scheme': () => ({ authorization: token }),
    'part of the token': () => bearer(token.slice(0, -1)),
    'more than the token': () => bearer(`${token}x`),
    'two tokens': () => bearer(`${token} ${token}`),
    'the token in the address': () => ({ 'x-token': token }),
  };

  it.each(Object.keys(wrong))('answers 401 and nothing else to %s', async (name) => {
    for (const [method, path] of await everyRoute()) {
      const address =
        name === 'the token in the address' ? `${path}?token=${token}&access_token=${token}` : path;
      const answer = await ask(
        method,
        address,
        { ...json, ...wrong[name]?.() },
        method === 'POST' ? '{}' : undefined,
      );
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: 401 });
      expect(answer.text).toBe(
        '{"error":{"code":"auth.required","message":"Send Authorization: Bearer <token> with a valid token for this gateway. The operator of the gateway can create one.","next":"tidegate token create --as agent:<name>"}}',
      );
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
    expect(upstream.heardOf('tools/call')).toHaveLength(0);
  });

  it('answers with codes that can be looked up', async () => {
    for (const path of ['/nothing', '/api/nothing']) {
      const answer = await ask('GET', path, { ...json, authorization: `Bearer ${token}` });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        404,
        { error: { code: 'route.not_found' } },
      ]);
    }
    for (const code of ['auth.required', 'access.unavailable', 'route.not_found', 'model.syntax']) {
      const { status, stdout } = place.run('explain', code);
      expect([status, stdout]).toEqual([0, expect.stringMatching(/\nnext: {2}\S/)]);
    }
  });

  it('answers 403 to a foreign Host or Origin, with any token', async () => {
    for (const [method, path] of await everyRoute()) {
      for (const foreign of [
        { host: 'evil.example' },
        { host: `127.0.0.1.evil.example:${new URL(gate.base).port}` },
        { origin: 'null' },
        { origin: 'https://evil.example' },
      ]) {
        const answer = await ask(
          method,
          path,
          { ...json, ...bearer(token), ...foreign },
          method === 'POST' ? '{}' : undefined,
        );
        expect({ method, path, ...foreign, status: answer.status }).toEqual({
          method,
          path,
          ...foreign,
          status: 403,
        });
      }
    }
    expect(upstream.heardOf('tools/call')).toHaveLength(0);
  });

  it('answers with the right token (control)', async () => {
    const statuses = new Set<number>();
    for (const [method, path] of await everyRoute()) {
      const answer = await ask(
        method,
        path,
        { ...json, ...bearer(token) },
        method === 'POST' ? '{}' : undefined,
      );
      statuses.add(answer.status);
      expect([401, 403]).not.toContain(answer.status);
    }
    expect(statuses).toContain(200);
    expect(upstream.heardOf('tools/call').length).toBeGreaterThan(0);
  });
});

describe('the admin API', () => {
  const get = async (path: string) => {
    const { status, text } = await ask('GET', path, bearer(token));
    return { status, text, body: JSON.parse(text) as Readonly<Record<string, unknown>> };
  };
  const call = (name: string, body: string) =>
    ask('POST', `/api/tools/${encodeURIComponent(name)}/call`, { ...bearer(token), ...json }, body);

  it('answers at every path of its OpenAPI description, as described', async () => {
    const { body } = await get('/api/openapi.json');
    const { paths, openapi } = body as unknown as OpenApi;
    expect(openapi).toBe('3.1.0');
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { responses, parameters = [] }] of Object.entries(operations)) {
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '403']));
        // Operations on rights and tokens have their own suites.
        const isOfTools = path.startsWith('/api/tools');
        const isPlain = method === 'get' && !parameters.some(({ required }) => required);
        if (!isOfTools && !isPlain) continue;
        const answer = await ask(
          method.toUpperCase(),
          path.replace('{name}', 'up_a'),
          { ...bearer(token), ...json },
          method === 'post' ? '{}' : undefined,
        );
        expect({ path, status: answer.status }).toEqual({ path, status: 200 });
        expect(answer.headers['content-type']).toBe('application/json');
        if (!path.includes('{')) continue;
        const missing = await ask(
          method.toUpperCase(),
          path.replace('{name}', 'nothing'),
          { ...bearer(token), ...json },
          method === 'post' ? '{}' : undefined,
        );
        expect({ path, status: missing.status }).toEqual({ path, status: 404 });
        expect(JSON.parse(missing.text)).toEqual({
          error: { code: 'tool.not_found', message: 'Unknown tool: nothing' },
        });
      }
    }
  });

  it('shows the gateway, its servers and its tools', async () => {
    expect((await get('/api/status')).body).toMatchObject({
      version: expect.stringMatching(/^\d/),
      sessions: expect.any(Number),
    });
    const { body } = await get('/api/servers');
    const [up, off] = body['servers'] as readonly Readonly<Record<string, unknown>>[];
    expect(up).toMatchObject({
      id: 'up',
      state: 'ready',
      tools: 4,
      restarts: 0,
      pid: expect.any(Number),
      protocolVersion: '2026-07-28',
    });
    expect(off).toMatchObject({ id: 'off', state: 'disabled', tools: 0 });
    const tools = await get('/api/tools');
    expect(tools.text).toContain('"x-unknown":12345678901234567890');
    expect((await get('/api/tools/up_a')).body).toMatchObject({
      source: 'server:up',
      definition: { name: 'up_a' },
    });
  });

  it('calls tools through the same pipeline, and returns their results', async () => {
    expect(await call('up_a', '{"n":12345678901234567890}')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"x":1e400'),
    });
    expect(upstream.heardOf('tools/call').at(-1)).toContain('"n":12345678901234567890');
    expect(await call('up_a/ä b', '')).toMatchObject({
      status: 200,
      text: expect.stringContaining('strange'),
    });
    expect(JSON.parse((await call('up_refused', '{}')).text)).toMatchObject({
      error: { code: 'upstream.error' },
    });
    expect((await call('up_asks', '{}')).status).toBeGreaterThanOrEqual(400);
  });

  it('refuses bodies that are not valid arguments', async () => {
    const before = upstream.heardOf('tools/call').length;
    for (const body of ['[]', '1', '"x"', 'null', '{', '{"a":1}{', '{}\n{}', '\u0000']) {
      expect({ body, status: (await call('up_a', body)).status }).toEqual({ body, status: 400 });
    }
    expect((await call('up_a', `{"a":"${'x'.repeat(5 * 1024 * 1024)}"}`)).status).toBeGreaterThanOrEqual(400);
    expect(upstream.heardOf('tools/call')).toHaveLength(before);
  });
});

describe('http.auth: none', () => {
  it('accepts every client on the loopback interface, and warns about it', async () => {
    const open = openPlace({ servers: { up: upstream.entry }, http: { auth: 'none' } });
    const served = await openHttpGate(open);
    expect((await fetch(`${served.base}/api/status`)).status).toBe(200);
    const foreign = await fetch(`${served.base}/api/status`, { headers: { origin: 'http://evil.example' } });
    expect(foreign.status).toBe(403);
    await served.close();
    open.close();
  });

  it('is refused on every other address', async () => {
    const port = String(await freePort());
    const exposed = openPlace({ http: { auth: 'none', host: '0.0.0.0' } }, { trusted: false });
    expect(exposed.run('trust', '--yes').status).toBe(2);
    expect(exposed.run('config', 'check').status).toBe(2);
    exposed.write({ http: { auth: 'none' } });
    exposed.trust();
    const { status, stderr } = exposed.run('serve', '--host', '0.0.0.0', '--port', port);
    expect(status).not.toBe(0);
    expect(stderr).toContain('loopback');
    exposed.close();
  });
});
