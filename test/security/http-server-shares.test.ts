import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place, waitFor } from '../support/gate.js';
import { type HttpClient, openHttpClient, openLegacySession } from '../support/http-client.js';
import { tokenOf } from '../support/raw-client.js';

const limitMs = 120_000;
/** More than the gateway has connections to one server. */
const sessions = 6;
const callsEach = 115;
const patienceMs = 5000;
let upstream: Server;
let hanging = 0;
let place: Place;
let gate: HttpGate;
let client: HttpClient;

type Headers = Readonly<Record<string, string>>;
interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly name: string };
}

/** A server over HTTP whose tool `hang` never answers. */
function openUpstream(): Server {
  return createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(Buffer.concat(parts).toString()) as Asked;
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'tools/call' && params.name === 'hang') {
        hanging += 1;
        return;
      }
      const result = resultOf(method);
      const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
}

function resultOf(method: string): unknown {
  if (method === 'initialize') {
    const serverInfo = { name: 'up', version: '1' };
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  }
  const tools = ['echo', 'hang'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  if (method === 'tools/list') return { tools };
  return method === 'tools/call' ? { content: [{ type: 'text', text: 'answered' }] } : undefined;
}

beforeEach(async () => {
  hanging = 0;
  upstream = openUpstream();
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const up = { url: `http://127.0.0.1:${String(port)}/mcp`, prefix: '', timeout: '100s' };
  place = openAccessPlace({ builtins: [], access: { default_profile: 'full' }, servers: { up } });
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base, 2000);
}, limitMs);
afterEach(async () => {
  client.close();
  await gate.close();
  place.close();
  upstream.closeAllConnections();
  upstream.close();
});

const openSession = (secret: string): Promise<Headers> =>
  openLegacySession(client, {}, { authorization: `Bearer ${secret}` });

function call(headers: Headers, name: string, id: number, given: object = {}): Promise<string> {
  const params = { name, arguments: given };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const answer = client.send('/mcp', body, { headers, limitMs: name === 'hang' ? limitMs : patienceMs });
  return answer.then(
    ({ text }) => text,
    () => 'no answer',
  );
}

/** Calls that are never answered, and never more than the server is known to have got. */
async function flood(secret: string, atLeast: number, given: object, count = callsEach): Promise<void> {
  for (let session = 0; session < sessions; session += 1) {
    const headers = await openSession(secret);
    for (let id = 1; id <= count; id += 1) void call(headers, 'hang', id, given);
  }
  await waitFor(
    () => hanging >= atLeast,
    60_000,
    () => `only ${String(hanging)} calls reached the server`,
  );
}

const bobs = async (): Promise<Headers> =>
  openSession((await makeToken(place, '--as', 'agent:bob', '--profile', 'full')).secret);
const alices = async (): Promise<string> =>
  (await makeToken(place, '--as', 'agent:alice', '--profile', 'full')).secret;

describe('[15.12] unanswered calls of a shared server over HTTP', () => {
  it('leave connections for other principals', { timeout: limitMs }, async () => {
    const bob = await bobs();
    await flood(await alices(), 200, {});
    expect(await call(bob, 'echo', 1)).toContain('answered');
    expect(hanging).toBeLessThan(300);
  });

  it('leave room for the messages of others, however long they are', { timeout: limitMs }, async () => {
    const bob = await bobs();
    await flood(await alices(), 2, { text: 'x'.repeat(12_000_000) }, 2);
    expect(await call(bob, 'echo', 1, { text: 'x'.repeat(1_000_000) })).toContain('answered');
  });

  it('control: those of the operator, who has no share, use all of them', { timeout: limitMs }, async () => {
    const bob = await bobs();
    await flood(tokenOf(place), 500, {});
    expect(await call(bob, 'echo', 1)).toBe('no answer');
  });
});
