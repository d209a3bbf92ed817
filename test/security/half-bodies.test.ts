import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { freePort } from '../support/free-port.js';
import { endProcess, type HttpGate, openHttpGate, type Place, waitFor } from '../support/gate.js';
import { openHttpClient, openLegacySession } from '../support/http-client.js';
import { hasProc } from '../support/proc.js';
import { tokenOf } from '../support/raw-client.js';

const count = 30;
const mib = 1 << 20;
/** Of one principal: less than all of the bodies together. */
const most = 300;
const held: Socket[] = [];
let place: Place;
let gate: HttpGate;

beforeEach(async () => {
  place = openAccessPlace({ builtins: ['*'], access: { default_profile: 'full' } });
  gate = await openHttpGate(place);
});
afterEach(async () => {
  for (const socket of held.splice(0)) socket.destroy();
  await gate.close();
  place.close();
});

function residentMiB(pid: number | undefined): number {
  const text = readFileSync(`/proc/${String(pid)}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}

/** Sends 15 of 16 MiB, and no more. Resolves when they are sent, or when the server answers or hangs up. */
function halfBody(port: number, secret: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    held.push(socket);
    const head = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${String(port)}`, `Authorization: Bearer ${secret}`];
    const more = ['Content-Type: application/json', `Content-Length: ${String(16 * mib - 64)}`];
    for (const event of ['error', 'close', 'data']) socket.once(event, () => resolve());
    socket.write([...head, ...more, '', ''].join('\r\n'));
    socket.write(Buffer.alloc(15 * mib, 0x20), () => resolve());
  });
}

async function growthBy(server: ChildProcess, port: number, secret: string): Promise<number> {
  const before = residentMiB(server.pid);
  for (let sent = 0; sent < count; sent += 1) await halfBody(port, secret);
  // What was sent has arrived when a later request has its answer.
  await fetch(`http://127.0.0.1:${String(port)}/healthz`);
  return residentMiB(server.pid) - before;
}

async function ping(secret: string, size: number): Promise<number> {
  const client = openHttpClient(gate.base, 1);
  onTestFinished(() => client.close());
  const headers = await openLegacySession(client, {}, { authorization: `Bearer ${secret}` });
  const params = JSON.stringify({ filler: 'x'.repeat(size) });
  const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`;
  return (await client.send('/mcp', body, { headers, limitMs: 60_000 })).status;
}

describe.skipIf(!hasProc)('[15.11] unfinished bodies of one principal', () => {
  it('do not fill the memory, and leave room for its small requests and for others', async () => {
    const alice = await makeToken(place, '--as', 'agent:alice', '--profile', 'full');
    const bob = await makeToken(place, '--as', 'agent:bob', '--profile', 'full');
    const port = Number(new URL(gate.base).port);
    expect(await growthBy(gate.child, port, alice.secret)).toBeLessThan(most);
    expect(await ping(alice.secret, 1000)).toBe(200);
    expect(await ping(alice.secret, 10 * mib)).toBe(503);
    expect(await ping(bob.secret, 10 * mib)).toBe(200);
    expect(await ping(tokenOf(place), 15 * mib)).toBe(200);
    // Room comes back with the connections.
    for (const socket of held.splice(0)) socket.destroy();
    await waitFor(
      async () => (await ping(alice.secret, 10 * mib)) === 200,
      20_000,
      () => 'the room did not come back',
    );
  });

  it('control: fill the memory of a server that keeps what it reads', async () => {
    const port = await freePort();
    const script = `
      require('node:http').createServer((request, response) => {
        if (request.url === '/healthz') return response.end();
        const parts = [];
        request.on('data', (part) => parts.push(part));
      }).listen(${String(port)}, '127.0.0.1');`;
    const child = spawn(process.execPath, ['-e', script]);
    onTestFinished(() => endProcess(child));
    const url = `http://127.0.0.1:${String(port)}/healthz`;
    await waitFor(
      async () => (await fetch(url)).ok,
      20_000,
      () => 'the control did not start',
    );
    expect(await growthBy(child, port, 'none')).toBeGreaterThan(most);
  });
});
