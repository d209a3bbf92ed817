import { type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { count } from '../support/counts.js';
import {
  endProcess,
  type HttpGate,
  openHttpGate,
  openPlace,
  type Place,
  spawnStdioGate,
} from '../support/gate.js';
import { markedServer, spawnFixture } from '../support/hostile-servers.js';
import { modernHeaders, openHttpClient } from '../support/http-client.js';
import { envelope, type LineClient, openLineClient, requestLine } from '../support/line-client.js';
import { forgetPeak, hasProc, memoryOf } from '../support/proc.js';

const requests = count(10_000);
const answerBytes = 100_000;
const megabyte = 1024 * 1024;
const bound = 64 * megabyte;
const settleMs = 1500;

function openBigPlace(): Place {
  // The honest have a server of their own, so that only the gate can slow them down.
  const servers = { up: { ...markedServer(), prefix: '' }, calm: { ...markedServer(), prefix: 'calm_' } };
  const place = openPlace({ servers, http: { auth: 'none' }, log: { level: 'error' } });
  onTestFinished(() => place.close());
  return place;
}

const big = (id: number): string =>
  requestLine(String(id), 'tools/call', {
    name: 'big',
    arguments: { mark: `m${String(id)}`, bytes: answerBytes },
  });

describe.skipIf(!hasProc)('a client over stdio that does not read (skipped: no /proc)', () => {
  it('uses bounded memory, and loses nothing once it reads', async () => {
    const client = await openGate();
    const growth = await growthUnread(client.child);
    client.unclaimed.splice(0);
    console.log(
      `slow stdio reader: n=${String(requests)} × ${String(answerBytes)} B, growth ${inMegabytes(growth)}`,
    );
    expect(growth).toBeLessThanOrEqual(bound);
    client.child.stdout.resume();
    await expect.poll(() => client.unclaimed.length, { timeout: 60_000, interval: 50 }).toBe(requests);
    const ids = client.unclaimed.map(({ message }) => message.id as number).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: requests }, (_, at) => at + 1));
    const small = client.unclaimed.filter(({ text }) => text.length < answerBytes);
    console.log(`told to wait: ${String(small.length)} of ${String(requests)}`);
    for (const { message } of small) expect(message.error?.data).toEqual({ code: 'call.too_many' });
    await endProcess(client.child);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('does not keep the gateway from exiting on %s', async (signal) => {
    const client = await openBlocked();
    const started = performance.now();
    client.child.kill(signal);
    await inTime(client.ended, 3000);
    console.log(`blocked gate ended on ${signal} in ${(performance.now() - started).toFixed(0)} ms`);
  });

  it('does not keep the gateway from exiting when its input ends', async () => {
    const client = await openBlocked();
    const started = performance.now();
    client.child.stdin.end();
    await inTime(client.ended, 3000);
    console.log(`blocked gate ended on EOF in ${(performance.now() - started).toFixed(0)} ms`);
  });

  it('control: an unbounded writer exceeds the limit', async () => {
    const control = spawnFixture('unbounded-writer.mjs');
    control.stdin.on('error', () => undefined);
    const growth = await growthUnread(control);
    console.log(`control: growth ${inMegabytes(growth)}`);
    expect(growth).toBeGreaterThan(bound);
    control.kill('SIGKILL');
    await once(control, 'exit');
  });

  async function openBlocked(): Promise<LineClient> {
    const client = await openGate();
    client.child.stdout.pause();
    for (let id = 1; id <= 500; id += 1) client.send(`${big(id)}\n`);
    await pause(settleMs);
    return client;
  }

  async function openGate(): Promise<LineClient> {
    const client = openLineClient(spawnStdioGate(openBigPlace()));
    await client.initialize();
    await client.request('tools/call', { name: 'echo', arguments: { mark: 'm' } });
    return client;
  }
});

describe.skipIf(!hasProc)('clients over HTTP that do not read (skipped: no /proc)', () => {
  it.each([
    ['on few connections, far ahead', 10, answerBytes, requests],
    ['on many connections, large answers', 100, 8 * megabyte, Math.max(40, count(200))],
  ])('use bounded memory and do not delay others: %s', async (_how, connections, bytes, calls) => {
    const place = openBigPlace();
    // With little room for garbage, what is measured is what is held. Too much of that would end the gate.
    const gate = await openHttpGate({
      ...place,
      env: { ...place.env, NODE_OPTIONS: '--max-old-space-size=192' },
    });
    onTestFinished(() => gate.close());
    if (bytes < megabyte) await Promise.all(Array.from({ length: 20 }, () => latencies(gate, 20, 'big')));
    const before = await latencies(gate, 150);
    const pid = gate.child.pid ?? 0;
    forgetPeak(pid);
    const { now } = memoryOf(pid);
    const sockets = await openDeaf(gate, connections, bytes, calls);
    const during = await latencies(gate, 150);
    await pause(settleMs);
    const growth = memoryOf(pid).peak - now;
    for (const socket of sockets) socket.destroy();
    const p99 = (all: readonly number[]): number => all[Math.floor(all.length * 0.99)] ?? 0;
    console.log(
      `slow HTTP readers: n=${String(calls)} × ${String(bytes)} B, growth ${inMegabytes(growth)}, ` +
        `others' p99 ${p99(before).toFixed(1)} → ${p99(during).toFixed(1)} ms`,
    );
    expect(growth).toBeLessThanOrEqual(bytes > megabyte ? 6 * bound : bound);
    expect(p99(during)).toBeLessThanOrEqual(Math.max(2 * p99(before), 500));
  });

  it('are disconnected if progress piles up on a stream', async () => {
    const gate = await openHttpGate(openBigPlace());
    onTestFinished(() => gate.close());
    await latencies(gate, 20);
    const pid = gate.child.pid ?? 0;
    forgetPeak(pid);
    const { now } = memoryOf(pid);
    const socket = await deafSocket(gate);
    const mark = 'm'.repeat(10_000);
    const call = {
      name: 'talk',
      arguments: { mark, times: 10_000, ms: 0 },
      _meta: envelope({ progressToken: 'p' }),
    };
    socket.write(rawPost(gate, 'talk', requestLine('1', 'tools/call', call)));
    await pause(settleMs);
    const growth = memoryOf(pid).peak - now;
    console.log(`unread progress: growth ${inMegabytes(growth)}`);
    expect(growth).toBeLessThanOrEqual(bound);
    expect(await latencies(gate, 20)).toHaveLength(20);
    socket.destroy();
  });
});

/** Asks for far more than is read, and tells how much the child grew. */
async function growthUnread(child: ChildProcessWithoutNullStreams): Promise<number> {
  const pid = child.pid ?? 0;
  await warmUp(child);
  child.stdout.pause();
  forgetPeak(pid);
  const { now } = memoryOf(pid);
  for (let id = 1; id <= requests; id += 1) child.stdin.write(`${big(id)}\n`);
  await pause(settleMs);
  return memoryOf(pid).peak - now;
}

/** The same work for a client that reads: what that costs is not the slow reader's doing. */
async function warmUp(child: ChildProcessWithoutNullStreams): Promise<void> {
  let bytes = 0;
  const count = (part: Buffer): void => void (bytes += part.length);
  child.stdout.on('data', count);
  for (let id = -1; id >= -1000; id -= 1) child.stdin.write(`${big(id)}\n`);
  await expect.poll(() => bytes, { timeout: 30_000, interval: 20 }).toBeGreaterThan(1000 * answerBytes);
  await pause(200);
  child.stdout.off('data', count);
}

/** Opens connections that send their share of the requests and never read. */
async function openDeaf(
  gate: HttpGate,
  sockets: number,
  bytes: number,
  calls: number,
): Promise<readonly Socket[]> {
  const open = await Promise.all(Array.from({ length: sockets }, () => deafSocket(gate)));
  for (let id = 1; id <= calls; id += 1) {
    const params = { name: 'big', arguments: { mark: 'm', bytes }, _meta: envelope() };
    open[id % sockets]?.write(rawPost(gate, 'big', requestLine(String(id), 'tools/call', params)));
  }
  return open;
}

async function deafSocket(gate: HttpGate): Promise<Socket> {
  const { hostname, port } = new URL(gate.base);
  const socket = connect(Number(port), hostname);
  // Cut off by the gate, as it should be.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  return socket;
}

function rawPost(gate: HttpGate, name: string, body: string): string {
  const headers = {
    host: new URL(gate.base).host,
    ...modernHeaders('tools/call', name),
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** How long calls of an honest client take, sorted. */
async function latencies(gate: HttpGate, calls: number, name = 'calm_echo'): Promise<readonly number[]> {
  const client = openHttpClient(gate.base);
  const taken: number[] = [];
  for (let id = 1; id <= calls; id += 1) {
    const params = { name, arguments: { mark: 'honest' }, _meta: envelope() };
    const started = performance.now();
    const { text } = await client.send('/mcp', requestLine(String(id), 'tools/call', params), {
      headers: modernHeaders('tools/call', name),
    });
    expect(text).toContain('honest:');
    taken.push(performance.now() - started);
  }
  client.close();
  return taken.sort((a, b) => a - b);
}

async function inTime(ended: Promise<unknown>, ms: number): Promise<void> {
  const isLate = Symbol('late');
  const first = await Promise.race([ended, pause(ms).then(() => isLate)]);
  expect(first, `not ended within ${String(ms)} ms`).not.toBe(isLate);
}

function inMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(1)} MiB`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
