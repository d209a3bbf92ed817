import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { type HttpClient, mcpHeaders, openHttpClient } from '../support/http-client.js';
import { hasProc, memoryOf } from '../support/proc.js';

const mib = 1 << 20;
const size = 15 * mib;
const count = 20;
/** Less than half of what the clients send. */
const most = 120;
const limitMs = 300_000;

let place: Place;
let gate: HttpGate;
let client: HttpClient;
let secret = '';

beforeEach(async () => {
  place = openAccessPlace({ builtins: ['Read'], access: { default_profile: 'full' } });
  const second = join(realpathSync(place.directory), 'second');
  mkdirSync(second);
  writeFileSync(join(second, 'tidegate.yaml'), 'builtins: [Read]\n');
  expect(place.run('trust', '--yes', join(second, 'tidegate.yaml')).status).toBe(0);
  // With a second workspace, clients with roots are asked for them before their session is opened.
  gate = await openHttpGate(place, '--workspace', second);
  client = openHttpClient(gate.base, 1);
  secret = (await makeToken(place, '--as', 'agent:alice')).secret;
}, limitMs);
afterEach(async () => {
  client.close();
  await gate.close();
  place.close();
});

const long = 'x'.repeat(size);
const info = { name: 'long', version: '1' };

interface Handshake {
  readonly what: string;
  readonly params: object;
  readonly beside?: object;
  readonly id?: string;
}

const handshakes: readonly Handshake[] = [
  { what: 'a long title', params: { capabilities: {}, clientInfo: { ...info, title: long } } },
  { what: 'long capabilities', params: { capabilities: { experimental: { long } }, clientInfo: info } },
  {
    what: 'a long member beside its params',
    params: { capabilities: {}, clientInfo: info },
    beside: { long },
  },
  {
    what: 'roots and a long title',
    params: { capabilities: { roots: {} }, clientInfo: { ...info, title: long } },
  },
  { what: 'roots and a long id', params: { capabilities: { roots: {} }, clientInfo: info }, id: long },
];

async function open({ params, beside = {}, id = 'first' }: Handshake): Promise<string> {
  const body = { jsonrpc: '2.0', id, method: 'initialize', ...beside };
  const { status, headers } = await client.send(
    '/mcp',
    JSON.stringify({ ...body, params: { protocolVersion: '2025-11-25', ...params } }),
    { headers: { ...mcpHeaders, authorization: `Bearer ${secret}` }, limitMs },
  );
  expect(status).toBe(200);
  return String(headers['mcp-session-id']);
}

async function list(session: string): Promise<string> {
  const headers = { ...mcpHeaders, authorization: `Bearer ${secret}`, 'mcp-session-id': session };
  // Without a stream it cannot be asked for its roots, so it uses the first workspace at once.
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const accept = { accept: 'application/json' };
  return (await client.send('/mcp', JSON.stringify(request), { headers: { ...headers, ...accept } })).text;
}

describe.runIf(hasProc)('[15.11] sessions keep little of what their clients say about themselves', () => {
  it.each(handshakes)('with $what', { timeout: limitMs }, async (handshake) => {
    const { pid = 0 } = gate.child;
    const before = memoryOf(pid).now;
    const sessions: string[] = [];
    for (let opened = 0; opened < count; opened += 1) sessions.push(await open(handshake));
    expect((memoryOf(pid).now - before) / mib).toBeLessThan(most);
    // The control: all of these sessions are open.
    for (const session of [sessions[0], sessions.at(-1)])
      expect(await list(session ?? '')).toContain('"Read"');
  });
});
