import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { nodeServer } from '../support/hostile-servers.js';
import { type HttpClient, openHttpClient, openLegacySession } from '../support/http-client.js';
import { tokenOf } from '../support/raw-client.js';

const limitMs = 240_000;
/** More calls than a server may have unanswered, as many of a session as run at once. */
const sessions = 84;
const connections = 8;
const callsEach = 15;
let place: Place;
let gate: HttpGate;
let client: HttpClient;
const held: Socket[] = [];

beforeEach(async () => {
  const up = { ...nodeServer('asking-server.mjs'), prefix: '', timeout: '200s' };
  place = openAccessPlace({ builtins: [], access: { default_profile: 'full' }, servers: { up } });
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base);
}, limitMs);
afterEach(async () => {
  for (const socket of held.splice(0)) socket.destroy();
  client.close();
  await gate.close();
  place.close();
});

type Headers = Readonly<Record<string, string>>;

function bodyOf(name: string): string {
  const params = { name, arguments: { mark: 'bob' } };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

function openSession(secret: string): Promise<Headers> {
  return openLegacySession(client, {}, { authorization: `Bearer ${secret}` });
}

/** Sends calls that are never answered, one behind the other, over one connection. */
function hang(headers: Headers, firstId: number): Socket {
  const { host, hostname, port } = new URL(gate.base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  for (let id = firstId; id < firstId + callsEach; id += 1) {
    const body = bodyOf('hang').replace('"id":1', `"id":${id}`);
    const lines = Object.entries({
      host,
      ...headers,
      'content-length': body.length,
    });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`);
  }
  return socket;
}

async function fill(secret: string): Promise<void> {
  for (let session = 0; session < sessions; session += 1) {
    const headers = await openSession(secret);
    for (let one = 0; one < connections; one += 1) held.push(hang(headers, 1 + one * callsEach));
  }
}

/** What a caller gets, when the flood has come as far as it comes. */
async function echoUntil(headers: Headers, isDone: (text: string) => boolean): Promise<string[]> {
  const texts: string[] = [];
  for (let tries = 0; tries < 20 && !isDone(texts.at(-1) ?? ''); tries += 1) {
    texts.push((await client.send('/mcp', bodyOf('echo'), { headers, limitMs })).text);
    await sleep(500);
  }
  return texts;
}

describe('[15.12] unanswered calls of a shared server', () => {
  it('count towards the share of each principal, so that others can call', { timeout: limitMs }, async () => {
    const alice = await makeToken(place, '--as', 'agent:alice', '--profile', 'full');
    const bob = await openSession((await makeToken(place, '--as', 'agent:bob', '--profile', 'full')).secret);
    await fill(alice.secret);
    // Once she is refused, she has all that she gets.
    const own = await echoUntil(await openSession(alice.secret), (text) => text.includes('call.too_many'));
    for (const text of await echoUntil(bob, () => false)) expect(text).toContain('echo bob');
    expect(own.at(-1)).toContain('from you');
  });

  it('control: the operator, who has no share, uses all of them', { timeout: limitMs }, async () => {
    const bob = await openSession((await makeToken(place, '--as', 'agent:bob', '--profile', 'full')).secret);
    await fill(tokenOf(place));
    const texts = await echoUntil(bob, (text) => text.includes('call.too_many'));
    expect(texts.at(-1)).toContain('call.too_many');
  });
});
