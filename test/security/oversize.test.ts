import { once } from 'node:events';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, openHttpGate, openPlace, spawnStdioGate } from '../support/gate.js';
import { sdkServer } from '../support/hostile-servers.js';
import { mcpHeaders, openHttpClient, openLegacySession } from '../support/http-client.js';
import { type LineClient, openLineClient, requestLine } from '../support/line-client.js';
import { forgetPeak, hasProc, memoryOf } from '../support/proc.js';

const limit = 16 * 1024 * 1024;
const megabyte = 1024 * 1024;
const isFull = process.env['TIDEGATE_COUNTS'] === 'full';
const largest = isFull ? 1024 * megabyte : 100 * megabyte;

describe('lines that are too long', () => {
  it('accepts every line up to the limit and refuses one byte more, once, with or without its newline', async () => {
    const place = openPlace({ servers: {} });
    const client = openLineClient(spawnStdioGate(place));
    await client.initialize();
    for (const bytes of [1024, 64 * 1024, megabyte, 10 * megabyte, limit - 1, limit]) {
      const { message } = await client.ask('1', `${padded(bytes)}\n`);
      expect(message.result, String(bytes)).toEqual({});
    }
    for (const bytes of [limit + 1, limit + 64 * 1024, 2 * limit, largest]) {
      for (const hasNewline of [true, false]) expect(await survives(client, bytes, hasNewline)).toBe(true);
    }
    expect(client.unclaimed).toEqual([]);
    console.log(`oversize lines up to ${String(largest)} bytes`);
    await endProcess(client.child);
    place.close();
  });

  it.skipIf(!hasProc)(
    'needs little memory for refused lines, however many there are (skipped: no /proc)',
    async () => {
      for (const [lines, bound] of [
        [1, 3 * limit],
        [10, 6 * limit],
      ] as const) {
        const place = openPlace({ servers: {} });
        const client = openLineClient(spawnStdioGate(place));
        await client.initialize();
        const pid = client.child.pid ?? 0;
        forgetPeak(pid);
        const { now } = memoryOf(pid);
        for (let line = 0; line < lines; line += 1) await survives(client, largest, line % 2 === 0);
        const growth = memoryOf(pid).peak - now;
        console.log(
          `growth over ${String(lines)} × ${String(largest)} refused bytes: ${inMegabytes(growth)}`,
        );
        expect(growth).toBeLessThanOrEqual(bound);
        await endProcess(client.child);
        place.close();
      }
    },
  );

  it('control: the bare SDK stops responding after one', async () => {
    const control = openLineClient(sdkServer());
    await control.initialize();
    expect(await survives(control, 11 * megabyte, true, 2000)).toBe(false);
    expect(control.isOver).toBe(false);
    await endProcess(control.child);
  });
});

describe('bodies that are too long', () => {
  it('are refused, with or without a Content-Length, without being stored, and others are served meanwhile', async () => {
    const place = openPlace({ servers: {}, http: { auth: 'none' } });
    const gate = await openHttpGate(place);
    onTestFinished(async () => {
      await gate.close();
      place.close();
    });
    const client = openHttpClient(gate.base);
    const headers = await openLegacySession(client);
    const send = (bytes: number) => client.send('/mcp', padded(bytes), { headers });
    expect((await send(limit)).status).toBe(200);
    const pid = gate.child.pid ?? 0;
    if (hasProc) forgetPeak(pid);
    const before = hasProc ? memoryOf(pid).now : 0;
    for (const bytes of [limit + 1, 2 * limit]) {
      const { status, messages } = await send(bytes);
      expect({ status, code: messages[0]?.error?.code }).toEqual({ status: 413, code: -32600 });
    }
    for (const how of ['content-length', 'chunked'] as const) {
      const { status, taken } = await sendBody(gate.base, how);
      console.log(`an endless body (${how}): ${String(status)} after ${inMegabytes(taken)}`);
      // The connection is cut under the sender's hands, so it may never come to read the refusal.
      expect([413, 0]).toContain(status);
    }
    expect((await send(1024)).status).toBe(200);
    const growth = hasProc ? memoryOf(pid).peak - before : 0;
    console.log(`growth over refused bodies: ${inMegabytes(growth)}`);
    expect(growth).toBeLessThanOrEqual(3 * limit);
    client.close();
  });
});

function inMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(1)} MiB`;
}

/** A ping of exactly so many bytes. */
function padded(bytes: number): string {
  const empty = requestLine('1', 'ping', { pad: '' });
  return requestLine('1', 'ping', { pad: 'x'.repeat(bytes - empty.length) });
}

/** Whether one error answers an oversize line and the next request is answered as if nothing had been. */
async function survives(
  client: LineClient,
  bytes: number,
  hasNewline: boolean,
  limitMs = 20_000,
): Promise<boolean> {
  const refused = client.ask('null', '', limitMs).catch(() => undefined);
  await Promise.race([writeMany(client.child.stdin, bytes), pause(limitMs)]);
  if (hasNewline) client.send('\n');
  const refusal = await refused;
  if (!hasNewline) client.send('rest of it\n');
  const next = await client.request('ping', undefined, limitMs).catch(() => undefined);
  return refusal?.message.error?.code === -32600 && next?.message.result !== undefined;
}

async function writeMany(stream: Writable, bytes: number): Promise<void> {
  const block = Buffer.alloc(256 * 1024, 'x');
  for (let left = bytes; left > 0; left -= block.length) {
    if (!stream.write(block.subarray(0, Math.min(left, block.length)))) await once(stream, 'drain');
  }
}

/** Sends a body that has no end, for as long as it is taken. */
async function sendBody(
  base: string,
  how: 'content-length' | 'chunked',
): Promise<{ readonly status: number; readonly taken: number }> {
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname);
  let answer = '';
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  socket.on('data', (part) => (answer += part.toString('latin1')));
  await once(socket, 'connect');
  const length = how === 'chunked' ? 'transfer-encoding: chunked' : 'content-length: 1000000000000';
  const lines = Object.entries(mcpHeaders).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST /mcp HTTP/1.1\r\nhost: ${host}\r\n${lines.join('\r\n')}\r\n${length}\r\n\r\n`);
  const block = Buffer.alloc(256 * 1024, 'x');
  const piece =
    how === 'chunked' ? Buffer.concat([Buffer.from('40000\r\n'), block, Buffer.from('\r\n')]) : block;
  let taken = 0;
  const more = (): void => {
    while (socket.writable) {
      taken += block.length;
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', more);
  more();
  await closed;
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), taken };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
