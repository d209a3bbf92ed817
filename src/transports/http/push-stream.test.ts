import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen, openLoopback } from '../../../test/support/loopback.js';
import { openPushStream, type PushStream } from './push-stream.js';

let closeServer: (() => Promise<void>) | undefined;
afterEach(async () => {
  await closeServer?.();
  closeServer = undefined;
});

async function serve(
  stream: PushStream,
): Promise<{ readonly port: number; readonly responses: ServerResponse[] }> {
  const responses: ServerResponse[] = [];
  const server = await openLoopback((_request, response) => {
    responses.push(response);
    stream.open(response);
  });
  closeServer = () => server.close();
  return { port: server.port, responses };
}

describe('the stream for messages that belong to no request', () => {
  it('sends messages as they come', async () => {
    const stream = openPushStream();
    const { port } = await serve(stream);
    const client = await listen(port, {});
    stream.send('{"a":1}');
    stream.keepAlive();
    await vi.waitFor(() => expect(client.text()).toBe('event: message\ndata: {"a":1}\n\n:\n\n'));
    stream.close();
    await client.ended;
  });

  it('keeps the newest hundred messages while there is no listener, and sends each once', async () => {
    const stream = openPushStream();
    for (let n = 0; n < 150; n += 1) stream.send(`{"n":${n}}`);
    stream.send('{"n":149}');
    const { port } = await serve(stream);
    const client = await listen(port, {});
    await vi.waitFor(() => expect(client.text()).toContain('{"n":149}'));
    const numbers = [...client.text().matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, at) => at + 50));
    stream.close();
  });

  it('has one listener: a second one replaces the first', async () => {
    const stream = openPushStream();
    const { port } = await serve(stream);
    const first = await listen(port, {});
    const second = await listen(port, {});
    await first.ended;
    stream.send('{"for":"second"}');
    await vi.waitFor(() => expect(second.text()).toContain('second'));
    expect(first.text()).toBe('');
    expect(stream.isOpen).toBe(true);
    stream.close();
  });

  it('notices when its listener left, and keeps messages for the next', async () => {
    const stream = openPushStream();
    const { port } = await serve(stream);
    (await listen(port, {})).leave();
    await vi.waitFor(() => expect(stream.isOpen).toBe(false));
    stream.send('{"kept":1}');
    const next = await listen(port, {});
    await vi.waitFor(() => expect(next.text()).toContain('kept'));
    stream.close();
  });

  it('disconnects a listener that does not read', async () => {
    const stream = openPushStream();
    const { port, responses } = await serve(stream);
    await listen(port, {});
    const big = JSON.stringify('x'.repeat(1024 * 1024));
    for (let sent = 0; sent < 30; sent += 1) stream.send(big);
    expect(responses[0]?.destroyed).toBe(true);
  });
});
