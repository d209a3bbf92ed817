import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { markedServer } from '../support/hostile-servers.js';
import {
  type HttpClient,
  mcpHeaders,
  modernHeaders,
  openHttpClient,
  openLegacySession,
} from '../support/http-client.js';
import { envelope } from '../support/line-client.js';
import { tokenOf } from '../support/raw-client.js';

const limitMs = 180_000;
let place: Place;
let gate: HttpGate;
let client: HttpClient;
const held: Socket[] = [];

beforeEach(async () => {
  const servers = { up: { ...markedServer(), prefix: '' } };
  place = openAccessPlace({ builtins: [], servers, access: { default_profile: 'full' } });
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

const secretOf = async (name: string): Promise<string> => (await makeToken(place, '--as', name)).secret;
const openSession = (secret: string): Promise<Headers> =>
  openLegacySession(client, {}, { authorization: `Bearer ${secret}` });

async function ping(headers: Headers): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  return (await client.send('/mcp', body, { headers })).status;
}

/** Sends requests on a connection of their own, one behind the other. */
function post(headers: Headers, bodies: readonly string[]): Socket {
  const { host, hostname, port } = new URL(gate.base);
  const socket = connect(Number(port), hostname);
  held.push(socket);
  socket.on('error', () => undefined);
  for (const body of bodies) {
    const lines = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(body) });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`);
  }
  return socket;
}

describe('[15.11] sessions', () => {
  it('of one principal end no session of another, with any number of tokens', {
    timeout: limitMs,
  }, async () => {
    const bob = await openSession(await secretOf('agent:bob'));
    let first: Headers | undefined;
    for (let token = 0; token < 5; token += 1) {
      const secret = await secretOf('agent:alice');
      for (let round = 0; round < 10; round += 1) {
        const opened = await Promise.all(Array.from({ length: 50 }, () => openSession(secret)));
        first ??= opened[0];
      }
    }
    expect(await ping(bob)).toBe(200);
    // The control: they do end sessions, namely those of their own principal.
    expect(await ping(first ?? {})).toBe(404);
  });
});

describe('[15.11] unread answers', () => {
  const megabytes = 1_000_000;
  const big = (id: number, bytes: number): string => {
    const params = { name: 'big', arguments: { mark: 'm', bytes } };
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  };

  /** Reads a long answer, some megabytes a second, and tells how much came before the connection closed. */
  function readSlowly(headers: Headers): { readonly isClosed: () => boolean } {
    const socket = post(headers, [big(1, 30 * megabytes)]);
    let isClosed = false;
    socket.on('close', () => {
      isClosed = true;
    });
    socket.on('data', (part: Buffer) => {
      socket.pause();
      setTimeout(() => socket.resume(), (part.length / megabytes) * 500);
    });
    return { isClosed: () => isClosed };
  }

  async function leaveUnread(headers: Headers): Promise<void> {
    for (let id = 2; id < 32; id += 1) {
      post(headers, [big(id, 14 * megabytes)]).pause();
      await sleep(150);
    }
  }

  it('of one principal do not disconnect another that reads slowly', { timeout: limitMs }, async () => {
    const [alice, bob] = [
      await openSession(await secretOf('agent:alice')),
      await openSession(await secretOf('agent:bob')),
    ];
    const bobs = readSlowly(bob);
    await sleep(1000);
    // The control: of the same principal, whoever has read for longest is cut off.
    const alices = readSlowly(alice);
    await sleep(1500);
    await leaveUnread(alice);
    expect([bobs.isClosed(), alices.isClosed()]).toEqual([false, true]);
  });
});

describe('[15.11] streams that listen for changes', () => {
  const listen = (id: number): string => {
    const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
  };
  const headersOf = (secret: string): Headers => ({
    ...mcpHeaders,
    ...modernHeaders('subscriptions/listen'),
    authorization: `Bearer ${secret}`,
  });

  function firstOf(secret: string): Promise<string> {
    const socket = post(headersOf(secret), [listen(1)]);
    return new Promise((resolve) => {
      let text = '';
      socket.on('close', () => resolve(text));
      socket.on('data', (part: Buffer) => {
        text += part.toString();
        if (/acknowledged|too_many/.test(text)) resolve(text);
      });
    });
  }

  async function flood(secret: string): Promise<void> {
    const bodies = Array.from({ length: 15 }, (_, at) => listen(at + 1));
    for (let count = 0; count < 110; count += 1) post(headersOf(secret), bodies).resume();
    await sleep(3000);
  }

  it('count towards the share of each principal', { timeout: limitMs }, async () => {
    const [alice, bob] = [await secretOf('agent:alice'), await secretOf('agent:bob')];
    await flood(alice);
    expect(await firstOf(alice)).toContain('too_many');
    expect(await firstOf(bob)).toContain('acknowledged');
  });

  it('control: the operator, who has no share, can open more', { timeout: limitMs }, async () => {
    await flood(tokenOf(place));
    expect(await firstOf(tokenOf(place))).toContain('acknowledged');
  });
});
