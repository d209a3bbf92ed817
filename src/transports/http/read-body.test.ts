import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openLoopback, send } from '../../../test/support/loopback.js';
import { type Body, readBody } from './read-body.js';

let closeServer: (() => Promise<void>) | undefined;
afterEach(async () => {
  await closeServer?.();
  closeServer = undefined;
});

async function serve(
  limit: number,
  room = Number.POSITIVE_INFINITY,
): Promise<{ readonly port: number; readonly bodies: Body[] }> {
  const bodies: Body[] = [];
  const server = await openLoopback((request, response) => {
    let left = room;
    const takeRoom = (more: number): boolean => {
      left -= more;
      return left >= 0;
    };
    void readBody(request, limit, takeRoom).then((body) => {
      bodies.push(body);
      response.end();
    });
  });
  closeServer = () => server.close();
  return { port: server.port, bodies };
}

describe('readBody', () => {
  it('reads a body up to the limit', async () => {
    const { port, bodies } = await serve(8);
    await send(port, { method: 'POST', body: 'é€' });
    await send(port, { method: 'POST', body: '12345678' });
    await send(port, { method: 'POST' });
    expect(bodies).toEqual([
      { ok: true, text: 'é€' },
      { ok: true, text: '12345678' },
      { ok: true, text: '' },
    ]);
  });

  it('refuses a body that is longer, with or without a Content-Length', async () => {
    const { port, bodies } = await serve(8);
    await send(port, { method: 'POST', body: '123456789' });
    await send(port, {
      method: 'POST',
      body: 'x'.repeat(100_000),
      headers: { 'transfer-encoding': 'chunked' },
    });
    expect(bodies).toEqual([
      { ok: false, reason: 'oversize' },
      { ok: false, reason: 'oversize' },
    ]);
  });

  it('refuses a body that exceeds the memory limit, and keeps nothing of it', async () => {
    const { port, bodies } = await serve(8, 4);
    await send(port, { method: 'POST', body: '12345' });
    await send(port, { method: 'POST', body: '1234' });
    expect(bodies).toEqual([
      { ok: false, reason: 'busy' },
      { ok: true, text: '1234' },
    ]);
  });

  it('refuses invalid UTF-8', async () => {
    const { port, bodies } = await serve(8);
    await send(port, { method: 'POST', body: Buffer.of(0x22, 0xff, 0x22) });
    expect(bodies).toEqual([{ ok: false, reason: 'encoding' }]);
  });

  it('detects a truncated body', async () => {
    const { port, bodies } = await serve(100);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nonly this');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await vi.waitFor(() => expect(bodies).toEqual([{ ok: false, reason: 'cut' }]));
  });
});
