import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeToken } from '../support/access-place.js';
import { freePort } from '../support/free-port.js';
import { endProcess, type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { openHttpClient, openLegacySession } from '../support/http-client.js';
import { tokenOf } from '../support/raw-client.js';

/** As many as the program takes at once, and some more. */
const flood = 4200;
let place: Place;
let gate: HttpGate;
const held: Socket[] = [];

beforeEach(async () => {
  place = openPlace({});
  gate = await openHttpGate(place);
});
afterEach(async () => {
  for (const socket of held.splice(0)) socket.destroy();
  await gate.close();
  place.close();
});

/** Opens connections that send the beginning of a request and then nothing. */
async function holdHalfSent(port: number, count: number): Promise<void> {
  for (let made = 0; made < count; made += 200) {
    const batch = Array.from({ length: Math.min(200, count - made) }, () => halfSent(port));
    held.push(...(await Promise.all(batch)));
  }
}

function halfSent(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n', () => resolve(socket));
    });
    socket.on('error', () => resolve(socket));
    socket.resume();
  });
}

/** A connection that carried a request with a valid token, and stays open. */
async function proven(port: number, secret: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await ask(socket, secret);
  return socket;
}

function ask(socket: Socket, secret: string): Promise<string> {
  return new Promise((resolve) => {
    const end = (): void => resolve('closed');
    if (socket.destroyed) return end();
    socket.once('close', end);
    socket.once('data', (part: Buffer) => {
      socket.off('close', end);
      resolve(part.toString());
    });
    const host = new URL(gate.base).host;
    socket.write(`GET /nowhere HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
  });
}

async function isHealthy(base: string): Promise<boolean> {
  try {
    return (await fetch(`${base}/healthz`, { headers: { connection: 'close' } })).ok;
  } catch {
    return false;
  }
}

describe('[15.11] unfinished requests', () => {
  it('leave slots for health checks and for callers with a token', async () => {
    const client = openHttpClient(gate.base, 1);
    onTestFinished(() => client.close());
    const headers = await openLegacySession(client, {}, { authorization: `Bearer ${tokenOf(place)}` });
    await holdHalfSent(Number(new URL(gate.base).port), flood);
    expect(await isHealthy(gate.base)).toBe(true);
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    // On the connection that was there before, and on a new one.
    expect((await client.send('/mcp', ping, { headers })).status).toBe(200);
    const other = openHttpClient(gate.base, 1);
    onTestFinished(() => other.close());
    expect((await other.send('/mcp', ping, { headers })).status).toBe(200);
  });

  it('leave slots for one caller while another one holds as many connections as it can', async () => {
    const port = Number(new URL(gate.base).port);
    const [alice, bob] = [
      await makeToken(place, '--as', 'agent:alice'),
      await makeToken(place, '--as', 'agent:bob'),
    ];
    for (let made = 0; made < 3080; made += 110) {
      const batch = Array.from({ length: 110 }, () => proven(port, alice.secret));
      held.push(...(await Promise.all(batch)));
    }
    const beside = await proven(port, bob.secret);
    held.push(beside);
    await holdHalfSent(port, 1100);
    // Connections are accepted in order, so all of them are there when this one has its answer.
    expect(await isHealthy(gate.base)).toBe(true);
    expect(await ask(beside, bob.secret)).toContain('HTTP/1.1 404');
    // Control: what the other one holds above its share makes room like anonymous connections.
    expect(held.filter((socket) => socket.destroyed || socket.readableEnded).length).toBeGreaterThan(1000);
  });

  it('are closed when they time out, not only answered', async () => {
    const socket = await halfSent(Number(new URL(gate.base).port));
    held.push(socket);
    // This side does not close when the other one ends, as a hostile client would not. Only a closed connection
    // refuses what it still sends.
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.once('end', () => {
      const timer = setInterval(() => socket.write('x'), 100);
      socket.once('close', () => clearInterval(timer));
    });
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it('control: block everyone else on a server that only counts connections', async () => {
    const port = await freePort();
    const script = `
      const server = require('node:http').createServer((_, response) => response.end('ok'));
      server.maxConnections = 4096;
      server.listen(${String(port)}, '127.0.0.1');`;
    const child = spawn(process.execPath, ['-e', script]);
    onTestFinished(() => endProcess(child));
    const base = `http://127.0.0.1:${String(port)}`;
    await waitFor(
      () => isHealthy(base),
      20_000,
      () => 'the control did not start',
    );
    await holdHalfSent(port, flood);
    expect(await isHealthy(base)).toBe(false);
  });
});
