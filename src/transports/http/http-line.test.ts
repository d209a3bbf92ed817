import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen, openLoopback, type Reply, send } from '../../../test/support/loopback.js';
import { answerJson } from './answer-json.js';
import { createHttpLine, event, type HttpLine } from './http-line.js';

let closeServer: (() => Promise<void>) | undefined;
afterEach(async () => {
  await closeServer?.();
  closeServer = undefined;
});

/** One POST to a server whose response line the test controls. */
async function answered(
  use: (line: HttpLine) => void,
  acceptsStream = true,
): Promise<Reply & { readonly wrote: number[] }> {
  const wrote: number[] = [];
  const server = await openLoopback((_request, response) => {
    use(createHttpLine(response, { 'x-own': 'yes' }, acceptsStream, (bytes) => void wrote.push(bytes)));
  });
  closeServer = () => server.close();
  return { ...(await send(server.port, { method: 'POST' })), wrote };
}

/** A line and the client at its other end. */
async function streaming(): Promise<{
  line: HttpLine;
  response: ServerResponse;
  client: Awaited<ReturnType<typeof listen>>;
}> {
  let made: { line: HttpLine; response: ServerResponse } | undefined;
  const server = await openLoopback((_request, response) => {
    const line = createHttpLine(response, {}, true, () => {});
    made = { line, response };
    line.send('"first"');
  });
  closeServer = () => server.close();
  const client = await listen(server.port, { method: 'POST' });
  if (made === undefined) throw new Error('no request came');
  return { ...made, client };
}

describe('the answer to a POST', () => {
  it('is plain JSON if nothing else is sent', async () => {
    const reply = await answered((line) => line.end('{"é":1}'));
    expect(reply).toMatchObject({ status: 200, body: '{"é":1}' });
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '8',
      'x-own': 'yes',
    });
    expect(reply.wrote).toEqual([7]);
  });

  it('has its HTTP status', async () => {
    expect(await answered((line) => line.end('{}', 404))).toMatchObject({ status: 404 });
  });

  it('becomes a stream as soon as more is sent, with the answer last', async () => {
    const reply = await answered((line) => {
      expect(line.send('{"n":1}')).toBe(true);
      line.keepAlive();
      line.end('{"n":2}', 400);
    });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-own': 'yes' });
    expect(reply.body).toBe('event: message\ndata: {"n":1}\n\n:\n\nevent: message\ndata: {"n":2}\n\n');
  });

  it('stays JSON for a client that accepts no stream, and reports that the rest cannot be sent', async () => {
    const reply = await answered((line) => {
      expect(line.send('{"n":1}')).toBe(false);
      line.keepAlive();
      line.end('{"n":2}');
    }, false);
    expect(reply).toMatchObject({ status: 200, body: '{"n":2}' });
  });

  it('is 202 if there is none', async () => {
    expect(await answered((line) => line.drop())).toMatchObject({ status: 202, body: '' });
  });

  it('ends the stream if there is none after all', async () => {
    const reply = await answered((line) => {
      line.send('1');
      line.drop();
    });
    expect(reply.body).toBe(event('1'));
  });

  it('is sent once: later messages are dropped', async () => {
    const reply = await answered((line) => {
      line.end('1');
      line.end('2');
      line.drop();
      expect(line.send('3')).toBe(false);
      line.keepAlive();
      expect(line.isOpen).toBe(false);
    });
    expect(reply.body).toBe('1');
  });
});

describe('a client that does not keep up', () => {
  it('is noticed by the sender when it left', async () => {
    const { line, response, client } = await streaming();
    client.leave();
    await vi.waitFor(() => expect(response.destroyed).toBe(true));
    expect(line.send('2')).toBe(false);
    line.end('3');
  });

  it('is disconnected after some unread megabytes', async () => {
    const { line, response } = await streaming();
    const big = JSON.stringify('x'.repeat(1024 * 1024));
    let sent = 0;
    // Synchronously, so that the client cannot read in between.
    while (sent < 100 && line.send(big)) sent += 1;
    expect(sent).toBeLessThan(20);
    expect(response.destroyed).toBe(true);
    expect(line.isOpen).toBe(false);
  });
});

describe('answerJson', () => {
  it('gets no message twice', async () => {
    const server = await openLoopback((_request, response) => {
      answerJson(response, 200, '1');
      answerJson(response, 500, '2');
    });
    closeServer = () => server.close();
    expect(await send(server.port, {})).toMatchObject({ status: 200, body: '1' });
  });
});
