import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { openHall, resourceSpec, sessionOf } from '../../../test/support/gateway.js';
import { modernParams } from '../../../test/support/peers.js';
import { content, type Exchange, type Outcome, type Provider } from '../../core/index.js';
import { createCancellation } from '../../lib/cancellation.js';
import { emptyObject, JsonText } from '../../lib/json-text.js';
import { createFakeProvider, type FakeHandler, type FakeProvider } from '../../testing/index.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { createWireCommon, maxMessageBytes } from '../identity.js';
import { openLineWriter } from './line-writer.js';
import { serveStdio, type StdioServer } from './serve-stdio.js';

const echo: FakeHandler = (call) => content(JsonText.from({ content: [], echoed: call.params.value }));
const hello = {
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: { elicitation: {} } },
};
const call = (id: unknown, name = 'echo', more = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...more },
});

interface Connection {
  readonly provider: FakeProvider;
  readonly input: PassThrough;
  readonly server: StdioServer;
  readonly messages: Readonly<Record<string, unknown>>[];
  send(...messages: unknown[]): void;
  answer(id: unknown): Promise<Readonly<Record<string, unknown>>>;
}

function connect(tools: Readonly<Record<string, FakeHandler>> = { echo }): Connection {
  const provider = createFakeProvider('one', tools);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = serveStdio({
    gateway: openHall({ providers: [provider] }),
    session: sessionOf(),
    common: createWireCommon('1', 'run'),
    input,
    output,
  });
  const messages: Readonly<Record<string, unknown>>[] = [];
  let rest = '';
  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line) as Readonly<Record<string, unknown>>);
  });
  return {
    provider,
    input,
    server,
    messages,
    send(...sent) {
      input.write(sent.map((message) => `${textOf(message)}\n`).join(''));
    },
    async answer(id) {
      for (;;) {
        const found = messages.find((message) => message['id'] === id && !('method' in message));
        if (found !== undefined) return found;
        await once(output, 'data');
      }
    },
  };
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...(message as object) });
}

describe('a client on a pair of streams', () => {
  it('reports the end of its session once', async () => {
    const left: string[] = [];
    const input = new PassThrough();
    const server = serveStdio({
      gateway: openHall({ providers: [], onLeave: ({ id }) => left.push(id) }),
      session: sessionOf('the-one'),
      common: createWireCommon('1', 'run'),
      input,
      output: new PassThrough(),
    });
    expect(left).toEqual([]);
    input.end();
    await server.ended;
    server.close();
    expect(left).toEqual(['the-one']);
  });

  it('may use all protocol versions on the same line', async () => {
    const client = connect();
    client.send(
      { id: 1, method: 'server/discover', params: modernParams() },
      hello,
      call(2),
      { id: 3, method: 'tools/call', params: modernParams({ name: 'echo' }) },
      { id: 4, method: 'tools/list' },
      { id: 5, method: 'tools/list', params: modernParams() },
    );
    expect(await client.answer(1)).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
    expect(await client.answer('hello')).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
    expect(await client.answer(2)).not.toHaveProperty('result.resultType');
    expect(await client.answer(3)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await client.answer(4)).not.toHaveProperty('result.ttlMs');
    expect(await client.answer(5)).toMatchObject({ result: { cacheScope: 'private' } });
    expect(client.messages).toHaveLength(6);
  });

  it('gets an error for an invalid message, and the next one works', async () => {
    const client = connect();
    const wrong = [
      '{',
      '[]',
      '5',
      '{}',
      '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    ];
    for (const text of wrong) client.send(text);
    client.input.write(Buffer.of(0x22, 0xff, 0x22, 0x0a));
    client.send('', '   ', '\r', { id: 'p', method: 'ping' });
    expect(await client.answer('p')).toMatchObject({ result: {} });
    const errors = client.messages.filter((message) => 'error' in message);
    expect(errors.map((message) => (message['error'] as { code: number }).code)).toEqual([
      -32700, -32600, -32600, -32600, -32600, -32600, -32700,
    ]);
    expect(errors.every(({ id }) => id === null)).toBe(true);
  });

  it('continues after a line that is too long, with or without an end', async () => {
    const client = connect();
    const chunk = Buffer.alloc(1024 * 1024, 0x61);
    for (let sent = 0; sent <= maxMessageBytes; sent += chunk.length) client.input.write(chunk);
    client.send('', { id: 1, method: 'ping' });
    expect(await client.answer(1)).toHaveProperty('result');
    client.input.write(Buffer.concat([Buffer.alloc(maxMessageBytes + 1, 0x62), Buffer.from('\n')]));
    client.send({ id: 2, method: 'ping' });
    expect(await client.answer(2)).toHaveProperty('result');
    const errors = client.messages.filter((message) => 'error' in message);
    expect(errors).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  it('gets its id back as written', async () => {
    const texts: string[] = [];
    const [input, output] = [new PassThrough(), new PassThrough()];
    output.on('data', (chunk: Buffer) => void texts.push(chunk.toString('utf8')));
    serveStdio({
      gateway: openHall({ providers: [] }),
      session: sessionOf(),
      common: createWireCommon('1', 'run'),
      input,
      output,
    });
    for (const id of ['9007199254740993', '"\\u0061"', '""', '-1']) {
      input.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    }
    await vi.waitFor(() => expect(texts.join('').split('\n')).toHaveLength(5));
    expect(texts.join('')).toBe(
      ['9007199254740993', '"\\u0061"', '""', '-1']
        .map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`)
        .join(''),
    );
  });

  it('gets the same answers wherever its bytes are split', async () => {
    const text = [hello, call(1, 'echo', { arguments: { word: 'é😀' } }), { id: 2, method: 'ping' }]
      .map((message) => `${textOf(message)}\n`)
      .join('');
    const bytes = Buffer.from(text);
    const outcomes = new Set<string>();
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const client = connect();
      client.input.write(bytes.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      client.input.write(bytes.subarray(cut));
      await client.answer(1);
      await client.answer(2);
      outcomes.add(
        JSON.stringify([...client.messages].sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))),
      );
    }
    expect(outcomes.size).toBe(1);
  });

  it('cannot use an id twice at a time, across protocol versions', async () => {
    let release: (outcome: Outcome) => void = () => {};
    const client = connect({
      hang: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    client.send(hello, call('x', 'hang'));
    await vi.waitFor(() => expect(client.provider.calls).toHaveLength(1));
    client.send(
      call('x', 'hang'),
      { id: 'x', method: 'tools/call', params: modernParams({ name: 'hang' }) },
      { id: 'x', method: 'ping' },
    );
    await vi.waitFor(() => expect(client.messages.filter(({ id }) => id === 'x')).toHaveLength(3));
    release(content(emptyObject));
    await vi.waitFor(() => expect(client.messages.filter(({ id }) => id === 'x')).toHaveLength(4));
    expect(client.messages.filter(({ id }) => id === 'x').map((message) => 'error' in message)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(client.provider.calls).toHaveLength(1);
  });

  it('may cancel a running request; a finished or unknown id is ignored', async () => {
    const exchanges: Exchange[] = [];
    const client = connect({
      echo,
      hang: (_call, exchange) => {
        exchanges.push(exchange);
        return new Promise<Outcome>(() => {});
      },
    });
    client.send(hello, call(1), call(2, 'hang'));
    await client.answer(1);
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    const cancel = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } });
    client.send(cancel(1), cancel(99), cancel('2'), { method: 'notifications/cancelled' });
    client.send({ id: 3, method: 'ping' });
    await client.answer(3);
    expect(exchanges[0]?.isCancelled).toBe(false);
    client.send({ method: 'notifications/cancelled', params: modernParams({ requestId: 2 }) });
    await vi.waitFor(() => expect(exchanges[0]?.isCancelled).toBe(true));
    client.send({ id: 4, method: 'ping' });
    await client.answer(4);
    expect(client.messages.some(({ id }) => id === 2)).toBe(false);
  });
});

describe('a client that closes its end', () => {
  it('still gets quick answers, even to a last line without a newline', async () => {
    const client = connect();
    client.send(hello);
    client.input.end(textOf(call('last')));
    await client.server.ended;
    expect(await client.answer('last')).toHaveProperty('result');
  });

  it('ends its running requests', async () => {
    const exchanges: Exchange[] = [];
    const client = connect({
      hang: (_call, exchange) => {
        exchanges.push(exchange);
        return new Promise<Outcome>(() => {});
      },
    });
    client.send(hello, call(1, 'hang'));
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    client.input.end();
    await client.server.ended;
    expect(exchanges[0]?.isCancelled).toBe(true);
    expect(client.messages.some(({ id }) => id === 1)).toBe(false);
  });

  it('gets no more list changes', async () => {
    const client = connect();
    client.send(hello);
    await client.answer('hello');
    client.input.end();
    await client.server.ended;
    client.provider.offer({ other: echo });
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.messages.some((message) => message['method'] === 'notifications/tools/list_changed')).toBe(
      false,
    );
  });

  it.each(['input', 'output'] as const)('by breaking its %s is gone as well', async (side) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = serveStdio({
      gateway: openHall({ providers: [] }),
      session: sessionOf(),
      common: createWireCommon('1', 'run'),
      input,
      output,
    });
    (side === 'input' ? input : output).destroy(new Error('EPIPE'));
    await server.ended;
    expect(input.listenerCount('data')).toBe(0);
  });
});

/** An output that is not read until the test reads it. */
function openUnread(): { readonly output: Writable; readonly written: () => number; read(): void } {
  let written = 0;
  let isRead = false;
  let waiting: (() => void) | undefined;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.length;
      if (isRead) done();
      else waiting = done;
    },
  });
  return {
    output,
    written: () => written,
    read() {
      isRead = true;
      waiting?.();
    },
  };
}

describe('a client that does not read', () => {
  function connectUnread(tools: Readonly<Record<string, FakeHandler>>, more: Partial<Provider> = {}) {
    const unread = openUnread();
    const provider = createFakeProvider('one', tools, { resources: [resourceSpec('one', 'x://1')] });
    const input = new PassThrough();
    const server = serveStdio({
      gateway: openHall({ providers: [{ ...provider, ...more }] }),
      session: sessionOf(),
      common: createWireCommon('1', 'run'),
      input,
      output: unread.output,
    });
    const pending = (): number => unread.output.writableLength;
    return { ...unread, provider, input, server, pending };
  }

  const megabytes = 1024 * 1024;
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

  it('is not served until it reads, instead of filling memory, and then gets everything', async () => {
    const big = content(JsonText.from({ content: [], text: 'x'.repeat(100 * 1024) }));
    const client = connectUnread({ big: async () => big });
    client.input.write(`${textOf(hello)}\n`);
    const calls = 1000;
    for (let id = 0; id < calls; id += 1) client.input.write(`${textOf(call(id, 'big'))}\n`);
    await settled();
    // The buffer limit plus the answers that were running when it was reached.
    expect(client.pending()).toBeLessThan((4 + 128 / 10 + 2) * megabytes);
    expect(client.provider.calls.length).toBeLessThan(200);
    expect(client.pending()).toBeGreaterThan(4 * megabytes);
    client.read();
    await vi.waitFor(() => expect(client.written()).toBeGreaterThan(calls * 100 * 1024), { timeout: 5000 });
    expect(client.provider.calls).toHaveLength(calls);
  });

  it('would fill memory if queued calls did not wait too (control)', async () => {
    // The control: the same load through a semaphore that ignores the full output.
    const writer = openLineWriter(openUnread().output);
    const semaphore = createSemaphore(128, 4096);
    const runs = Array.from({ length: 300 }, async () => {
      await semaphore.enter(createCancellation());
      await Promise.resolve();
      writer.write('x'.repeat(100 * 1024));
      semaphore.leave();
    });
    await Promise.all(runs);
    expect(writer.pending()).toBeGreaterThan((4 + 128 / 10 + 2) * megabytes);
  });

  it('is not sent unlimited progress and logs', async () => {
    let live: Exchange | undefined;
    const client = connectUnread({
      chatty: (_call, exchange) => {
        live = exchange;
        return new Promise<Outcome>(() => {});
      },
    });
    const setLevel = { id: 'l', method: 'logging/setLevel', params: { level: 'debug' } };
    for (const message of [hello, setLevel, call(1, 'chatty', { _meta: { progressToken: 1 } })]) {
      client.input.write(`${textOf(message)}\n`);
    }
    await vi.waitFor(() => expect(live).toBeDefined());
    const words = JsonText.from({ level: 'info', data: 'x'.repeat(10 * 1024) });
    for (let n = 0; n < 5000; n += 1) {
      live?.progress(words);
      live?.log('info', words);
      if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(client.pending()).toBeLessThan(6 * megabytes);
    client.server.close();
  });

  it('gets each change once when it reads again', async () => {
    let changed: (params: JsonText) => void = () => {};
    const big = content(JsonText.from({ text: 'x'.repeat(5 * megabytes) }));
    const client = connectUnread(
      { big: () => big },
      {
        watch: (_uri, listener) => {
          changed = listener;
          return Promise.resolve(() => {});
        },
      },
    );
    const texts: string[] = [];
    const subscribe = { id: 's', method: 'resources/subscribe', params: { uri: 'x://1' } };
    for (const message of [hello, subscribe, call(1, 'big')]) client.input.write(`${textOf(message)}\n`);
    await settled();
    const before = client.output.writableLength;
    for (let n = 0; n < 10_000; n += 1) changed(JsonText.from({ uri: 'x://1' }));
    for (let n = 0; n < 5000; n += 1) changed(JsonText.from({ uri: `x://${n}` }));
    await settled();
    expect(client.output.writableLength).toBe(before);
    const write = client.output.write.bind(client.output);
    vi.spyOn(client.output, 'write').mockImplementation((chunk: unknown) => {
      texts.push(String(chunk));
      return write(chunk);
    });
    client.read();
    await vi.waitFor(() => expect(texts.join('').match(/resources\/updated/g)).toHaveLength(1000));
    expect(texts.join('')).toContain('x://4999');
    client.server.close();
  });
});
