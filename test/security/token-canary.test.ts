import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenCommands, type TokenCommands } from '../support/client-tokens.js';
import { type Collector, openCollector } from '../support/collector.js';
import { count } from '../support/counts.js';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import {
  type HttpClient,
  mcpHeaders,
  modernHeaders,
  openHttpClient,
  type Posted,
} from '../support/http-client.js';
import { envelope } from '../support/line-client.js';
import { tokenOf } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const script = {
  lists: {
    'tools/list': ['{"name":"ok","inputSchema":{"type":"object"}}', '{"name":"bad","inputSchema":{}}'],
  },
  answers: {
    'tools/call': {
      ok: { result: '{"content":[]}' },
      bad: { error: '{"code":-32050,"message":"no"}' },
    },
  },
};

interface Held {
  readonly id: string;
  readonly secret: string;
}

let collector: Collector;
let near: ScriptedUpstream;
let far: ScriptedUpstream;
let place: Place;
let gate: HttpGate;
let http: HttpClient;
let tokens: TokenCommands;
let operator: string;
let said = '';
/** What clients sent and were told, but for the answers that give a secret to its owner. */
const sent: string[] = [];
const told: string[] = [];

beforeAll(async () => {
  collector = await openCollector();
  [near, far] = await Promise.all([
    openScripted('stdio', 'legacy', script),
    openScripted('http', 'modern', script),
  ]);
  place = openPlace({
    servers: { near: near.entry, far: far.entry },
    log: { level: 'trace' },
    telemetry: { endpoint: collector.endpoint },
  });
  gate = await openHttpGate(place);
  gate.child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  http = openHttpClient(gate.base);
  tokens = tokenCommands(place);
  operator = tokenOf(place);
});
afterAll(async () => {
  http.close();
  await gate.close();
  await Promise.all([near.close(), far.close(), collector.close()]);
  place.close();
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

async function ask(
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
  method = 'POST',
): Promise<Posted> {
  sent.push(JSON.stringify([method, path, headers, body]));
  const answer = await http.send(path, body, { method, headers });
  // Whoever asks for something by name hears that name again; it is their own secret that they wrote there.
  const isEcho = path.includes('tgt_') || body.includes('tgt_');
  told.push(JSON.stringify([answer.status, answer.headers, isEcho ? '' : answer.text]));
  return answer;
}

async function make(options: object): Promise<Held> {
  const headers = { ...mcpHeaders, ...bearer(operator) };
  const { status, text } = await http.send('/api/tokens', JSON.stringify(options), { headers });
  expect([status, text]).toEqual([200, expect.stringContaining('tgt_')]);
  const { token, secret } = JSON.parse(text) as { readonly token: Held; readonly secret: string };
  return { id: token.id, secret };
}

const revoke = (id: string): Promise<Posted> => ask(`/api/tokens/${id}`, bearer(operator), '', 'DELETE');

async function call(secret: string, name: string, authorization = `Bearer ${secret}`): Promise<number> {
  const params = { name, arguments: {}, _meta: envelope() };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return (await ask('/mcp', { ...modernHeaders('tools/call', name), authorization }, body)).status;
}

/** Everything that a holder does right, and what careless ones and guessers do wrong. */
async function useEverywhere({ id, secret }: Held): Promise<void> {
  expect(await call(secret, 'far_ok')).toBe(200);
  await call(secret, 'near_ok');
  await call(secret, 'far_bad');
  await call(secret, 'nothing');
  // The name of a tool goes into logs, spans and records.
  await call(secret, secret);
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opening = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
  const opened = await ask('/mcp', { ...mcpHeaders, ...bearer(secret) }, opening);
  expect(opened.status).toBe(200);
  for (const wrong of [`Bearer ${secret}x`, `Basic ${secret}`, secret, `Bearer ${secret} ${secret}`]) {
    expect(await call(secret, 'far_ok', wrong)).toBe(401);
  }
  await ask(`/mcp?access_token=${secret}`, mcpHeaders, '{}');
  await ask('/mcp', { ...mcpHeaders, ...bearer(secret), 'mcp-session-id': secret }, '{}');
  await ask(`/api/tools/${secret}`, bearer(secret), '', 'GET');
  await ask(`/api/tokens/${secret}`, bearer(operator), '', 'DELETE');
  await ask('/api/tokens', { ...mcpHeaders, ...bearer(operator) }, JSON.stringify({ principal: secret }));
  await revoke(id);
  expect(await call(secret, 'far_ok')).toBe(401);
}

/** The whole of a secret, parts that would be enough to know it again, and its hash. */
function marksOf({ secret }: Held): readonly string[] {
  const body = secret.slice(4);
  const hash = createHash('sha256').update(secret).digest('hex');
  return [
    body,
    body.slice(0, 16),
    body.slice(-16),
    hash,
    Buffer.from(secret).toString('base64').slice(4, 40),
  ];
}

function found(held: readonly Held[], text: string): readonly string[] {
  return held.flatMap((one) => marksOf(one).filter((mark) => text.includes(mark)));
}

function bytesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('the secret of a token', () => {
  it('appears in no log, span, record, error, file or server', async () => {
    const held: Held[] = [];
    for (let n = 0; n < count(100); n += 1) {
      const one = await make({ principal: 'agent:canary', profile: 'full', label: `n${String(n)}` });
      held.push(one);
      await useEverywhere(one);
    }
    const typed = await tokens.create('agent:typed', '--profile', 'full');
    const child = await tokens.attenuate(typed.secret, '--as', 'agent:child');
    const turned = await tokens.rotate(typed.id);
    held.push(typed, child, turned);
    for (const { secret } of [turned, child]) await call(secret, 'near_ok');

    const shown = await Promise.all([
      tokens.run(['list']),
      tokens.run(['list', '--json']),
      tokens.run(['show', typed.id, '--json']),
      tokens.run(['show', typed.secret]),
      tokens.run(['revoke', typed.secret, '--json']),
      tokens.run(['create', '--as', typed.secret]),
      tokens.run(['create', '--as', 'agent:x', '--profile', typed.secret]),
      tokens.run(['create', '--as', 'agent:x', '--expires', typed.secret]),
      tokens.run(['attenuate', '--from', typed.secret]),
      tokens.run(['attenuate', '--json'], { TIDEGATE_TOKEN: `${typed.secret}x` }),
    ]);
    const audit = await runGate(place, ['audit', '--limit', '1000', '--json']);
    expect(audit.status).toBe(0);
    await call(turned.secret, 'the_last_one');
    await waitFor(
      () => said.includes('the_last_one') && collector.texts.join('').includes('the_last_one'),
      15_000,
      () => 'the last line or span did not come',
    );

    const places: Readonly<Record<string, string>> = {
      log: said,
      spans: collector.texts.join('\n'),
      audit: audit.stdout + audit.stderr,
      commands: JSON.stringify(shown),
      answers: told.join('\n'),
      servers: JSON.stringify([near.heard(), far.heard()]),
      workspace: bytesOf(join(place.directory, 'workspace')),
    };
    const leaks = Object.entries(places).map(([name, text]) => [name, found(held, text)] as const);
    expect(leaks.filter(([, marks]) => marks.length > 0)).toEqual([]);
    // The store keeps the hash, and that is all it keeps.
    const kept = bytesOf(place.env['TIDEGATE_HOME'] ?? '');
    const hashes = new Set(held.map(({ secret }) => createHash('sha256').update(secret).digest('hex')));
    expect(found(held, kept).filter((mark) => !hashes.has(mark))).toEqual([]);

    // Controls: the search finds what is there, in each place that it looks at.
    expect(found(held, sent.join('\n')).length).toBeGreaterThanOrEqual(count(100) * 3);
    expect(new Set(found(held, kept)).size).toBe(hashes.size);
    expect(audit.stdout).toContain(typed.id);
    expect(said).toContain('refused over HTTP');
    expect(said).toContain(`modern/${turned.id}`);
    expect(places['servers']).toContain('tools/call');
    console.log(
      `tokens: n=${String(held.length)} in ${String(Object.keys(places).length + 1)} places, 0 found`,
    );
  });
});

describe('every address', () => {
  interface OpenApi {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
  }

  async function everyRoute(): Promise<readonly (readonly [string, string])[]> {
    const { text } = await http.send('/api/openapi.json', '', { method: 'GET', headers: bearer(operator) });
    const described = Object.entries((JSON.parse(text) as OpenApi).paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(
        (method) => [method.toUpperCase(), path.replace('{name}', 'near_ok').replace(/\{.*\}/, 'x')] as const,
      ),
    );
    const others = ['/mcp', '/api', '/api/', '/api/tokens/', '/', '/nothing', '/api/x/../tokens'];
    const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD'];
    return [...described, ...others.flatMap((path) => methods.map((method) => [method, path] as const))];
  }

  const statusOf = async (method: string, path: string, authorization: string): Promise<number> => {
    const headers = { ...mcpHeaders, ...(authorization !== '' && { authorization }) };
    const body = method === 'POST' ? '{"principal":"user:eve","profile":"full"}' : '';
    return (await http.send(path, body, { method, headers })).status;
  };

  it('is closed without a token, and with forged, revoked and expired ones', async () => {
    const [revoked, parent] = [await make({ principal: 'user:eve' }), await make({ principal: 'user:eve' })];
    const orphan = await make({ parent: parent.id });
    await Promise.all([revoke(revoked.id), revoke(parent.id)]);
    const before = (await tokens.list()).length;
    const heard = near.heardOf('tools/call').length;
    const wrong = ['', 'Bearer', `Bearer tgt_${'0'.repeat(43)}`, 'Basic dXNlcjpwYXNz'];
    const over = [revoked, parent, orphan].map(({ secret }) => `Bearer ${secret}`);
    const routes = await everyRoute();
    let tried = 0;
    for (const [method, path] of routes) {
      for (const authorization of [...wrong, ...over]) {
        expect([method, path, await statusOf(method, path, authorization)]).toEqual([method, path, 401]);
        tried += 1;
      }
    }
    expect(await tokens.list()).toHaveLength(before);
    expect(near.heardOf('tools/call')).toHaveLength(heard);
    console.log(
      `addresses: n=${String(routes.length)}, ${String(tried)} tries without a good token, all 401`,
    );
  });

  it('for admins is closed to everyone else with a token', async () => {
    const { secret } = await make({ principal: 'user:eve', profile: 'full' });
    const admins = (await everyRoute()).filter(([, path]) => /^\/api\/(?!tools|openapi)\w/.test(path));
    expect(admins.length).toBeGreaterThan(4);
    for (const [method, path] of admins) {
      expect([403, 404]).toContain(await statusOf(method, path, `Bearer ${secret}`));
      // The control: an admin reaches the admin API.
      if (method === 'GET')
        expect([401, 403]).not.toContain(await statusOf(method, path, `Bearer ${operator}`));
    }
    expect(await statusOf('GET', '/api/tokens', `Bearer ${secret}`)).toBe(403);
    expect(
      (await tokens.list()).some(({ state, principal }) => state === 'active' && principal === 'user:eve'),
    ).toBe(true);
  });
});
