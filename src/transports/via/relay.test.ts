import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type RelayEnd, runRelay } from './relay.js';

const hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
const ready = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

describe('the relay', () => {
  it('carries a message to the gateway and its answer back, byte for byte', async () => {
    const answer = '{"jsonrpc":"2.0",  "id":12345678901234567890,"result":{"n":1e400,"x":"\\u00fc"}}';
    const gate = await openGate((_, response) => json(response, answer));
    const relay = connect(gate);
    const sent = `{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"a b","odd":1.0,${meta}}}`;
    relay.say(sent);
    expect(await relay.next()).toBe(answer);
    expect(gate.seen[0]).toMatchObject({
      body: sent,
      headers: {
        authorization: 'Bearer tg_test',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'a b',
      },
    });
    expect(await relay.leave()).toBe('ended');
  });

  it('passes on each message of a streamed response, and breaks no line', async () => {
    const gate = await openGate((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(':\n\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
      response.end('data: {"jsonrpc":"2.0","id":"a",\ndata: "result":{}}\n\n');
    });
    const relay = connect(gate);
    relay.say(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x",${meta}}}`);
    expect(await relay.next()).toBe('{"jsonrpc":"2.0","method":"notifications/progress"}');
    expect(await relay.next()).toBe('{"jsonrpc":"2.0","id":"a", "result":{}}');
  });

  it('keeps the session, holds other messages until it is open, and listens', async () => {
    const gate = await openGate(legacyGate('s-1'));
    const relay = connect(gate);
    relay.say(hello, ready, '{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    expect(await relay.some(3)).toEqual(
      expect.arrayContaining([
        result(1, '{"protocolVersion":"2025-11-25"}'),
        result(2, '{}'),
        changed('s-1'),
      ]),
    );
    const [first, ...others] = gate.seen;
    expect(first?.headers['mcp-session-id']).toBeUndefined();
    for (const { headers } of others) {
      expect(headers).toMatchObject({ 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-11-25' });
    }
    await relay.leave();
    expect(gate.seen.at(-1)?.method).toBe('DELETE');
  });

  it('initializes again when the gateway has lost the session, and restores subscriptions', async () => {
    let session = 's-1';
    const gate = await openGate((order, response) => legacyGate(session)(order, response));
    const relay = connect(gate);
    const level = '{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}';
    relay.say(hello, ready, level);
    await relay.some(3);
    session = 's-2';
    relay.say('{"jsonrpc":"2.0","id":3,"method":"tools/list"}');
    const lines = await relay.some(5);
    expect(lines).toContain(result(3, '{}'));
    expect(lines.filter((line) => line.includes('list_changed'))).toHaveLength(4);
    const repeated = gate.seen.filter(({ headers }) => headers['mcp-session-id'] === 's-2');
    expect(repeated.map(({ body }) => methodOf(body))).toEqual(
      expect.arrayContaining(['notifications/initialized', 'logging/setLevel', 'tools/list']),
    );
  });

  it('cancels a stateless request by closing its stream', async () => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const gate = await openGate((_, response) => void response.once('close', closed));
    const relay = connect(gate);
    relay.say(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow",${meta}}}`);
    await gate.saw(1);
    relay.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}');
    await isClosed;
    await relay.leave();
    expect(relay.lines).toEqual([]);
  });

  it('cancels a stateful request with a notification, and drops a late answer', async () => {
    let answer: () => void = () => undefined;
    const gate = await openGate((order, response) => {
      if (methodOf(order.body) === 'tools/call') answer = () => json(response, result(5, '{}'));
      else if (methodOf(order.body) === 'notifications/cancelled') {
        response.writeHead(202).end();
        answer();
      } else legacyGate('s-1')(order, response);
    });
    const relay = connect(gate);
    relay.say(hello);
    await relay.next();
    relay.say('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow"}}');
    await gate.saw(2);
    relay.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}');
    await gate.saw(3);
    await relay.leave();
    expect(relay.lines).toEqual([]);
  });

  it('learns the required headers of a tool when a call was refused without them', async () => {
    const tools = `[{"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]`;
    const gate = await openGate((order, response) => {
      if (methodOf(order.body) === 'tools/list')
        return json(response, result('"tidegate-bridge"', `{"tools":${tools}}`));
      const isComplete = order.headers['mcp-param-region'] === '=?base64?ZcO8?=';
      if (isComplete) json(response, result(9, '{"content":[]}'));
      else
        json(response, '{"jsonrpc":"2.0","id":9,"error":{"code":-32020,"message":"Header mismatch"}}', 400);
    });
    const relay = connect(gate);
    relay.say(
      `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"t","arguments":{"region":"eü"},${meta}}}`,
    );
    expect(await relay.next()).toBe(result(9, '{"content":[]}'));
    expect(gate.seen).toHaveLength(3);
  });

  it.each([
    ['a wrong token', 401, '{"error":{"code":"auth.required"}}', 'refused the token'],
    [
      'an error without an id',
      400,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"odd"}}',
      'odd',
    ],
    ['no JSON at all', 502, '<html>', 'HTTP 502'],
  ])('answers %s under the id of the request', async (_what, status, body, text) => {
    const gate = await openGate((_, response) => json(response, body, status));
    const relay = connect(gate);
    relay.say('{"jsonrpc":"2.0","id":"q","method":"tools/list","params":{}}');
    const line = await relay.next();
    expect(JSON.parse(line)).toMatchObject({ id: 'q', error: { message: expect.stringContaining(text) } });
  });

  it('answers when the connection breaks, and when there is no gateway', async () => {
    const gate = await openGate((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(':\n\n');
      setTimeout(() => response.destroy(), 20);
    });
    const relay = connect(gate);
    relay.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(JSON.parse(await relay.next())).toMatchObject({
      id: 1,
      error: { data: { code: 'provider.lost' } },
    });
    gate.close();
    relay.say('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    expect(JSON.parse(await relay.next())).toMatchObject({
      id: 2,
      error: { data: { code: 'provider.unavailable' } },
    });
    expect(await relay.leave()).toBe('ended');
  });

  it('exits with an error when the token was never valid', async () => {
    const gate = await openGate((_, response) => json(response, '{"error":{"code":"auth.required"}}', 401));
    const relay = connect(gate);
    relay.say('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    expect(JSON.parse(await relay.next())).toMatchObject({ error: { data: { code: 'auth.required' } } });
    expect(await relay.ended).toBe('refused');
  });

  it('stays for a client whose token was valid before, and reports at the end that it no longer is', async () => {
    let isGood = true;
    const gate = await openGate((_, response) =>
      isGood ? json(response, result(1, '{"tools":[]}')) : json(response, '{}', 401),
    );
    const relay = connect(gate);
    relay.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    await relay.next();
    isGood = false;
    relay.say('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    await relay.next();
    relay.say('{"jsonrpc":"2.0","id":3,"method":"tools/list"}');
    expect(await relay.next()).toContain('refused the token');
    expect(await relay.leave()).toBe('refused');
  });

  it('reports that it never reached a gateway', async () => {
    const gate = await openGate(() => undefined);
    gate.close();
    const relay = connect(gate);
    relay.say('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    await relay.next();
    expect(await relay.leave()).toBe('unreached');
  });

  it('refuses invalid messages, and an id in use, without asking the gateway', async () => {
    const gate = await openGate(() => undefined);
    const relay = connect(gate);
    relay.say(
      '{"jsonrpc":',
      '[]',
      '{"jsonrpc":"2.0","id":1,"method":"a"}',
      '{"jsonrpc":"2.0","id":1,"method":"b"}',
    );
    const codes = (await relay.some(3)).map(
      (line) => (JSON.parse(line) as { error: { code: number } }).error.code,
    );
    expect(codes).toEqual([-32700, -32600, -32600]);
    await gate.saw(1);
    expect(gate.seen).toHaveLength(1);
  });

  it('ends at once on request', async () => {
    const gate = await openGate(() => undefined);
    const relay = connect(gate);
    relay.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    await gate.saw(1);
    const started = performance.now();
    relay.stop();
    await relay.ended;
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

interface Order {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answerer = (order: Order, response: ServerResponse) => void;

interface Gate {
  readonly url: URL;
  readonly seen: readonly Order[];
  saw(count: number): Promise<void>;
  close(): void;
}

async function openGate(answer: Answerer): Promise<Gate> {
  const seen: Order[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const order = { method: request.method ?? '', headers: request.headers, body };
      seen.push(order);
      answer(order, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  open.push(close);
  return {
    url: new URL(`http://127.0.0.1:${String(port)}/mcp`),
    seen,
    saw: (count) => until(() => seen.length >= count),
    close,
  };
}

/** A stateful gateway with one session: it has empty lists and sends one change to its listener. */
function legacyGate(session: string): Answerer {
  return ({ method, headers, body }, response) => {
    if (methodOf(body) === 'initialize') {
      return json(response, result(1, '{"protocolVersion":"2025-11-25"}'), 200, {
        'mcp-session-id': session,
      });
    }
    if (headers['mcp-session-id'] !== session) {
      return json(
        response,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
        404,
      );
    }
    if (method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${changed(session)}\n\n`);
    } else if (method === 'DELETE' || body.includes('"notifications/')) response.writeHead(202).end();
    else json(response, result((JSON.parse(body) as { id: unknown }).id, '{}'));
  };
}

function changed(session: string): string {
  return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"session":"${session}"}}`;
}

function json(
  response: ServerResponse,
  text: string,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function result(id: unknown, text: string): string {
  const raw = typeof id === 'string' && !id.startsWith('"') ? JSON.stringify(id) : String(id);
  return `{"jsonrpc":"2.0","id":${raw},"result":${text}}`;
}

function methodOf(body: string): unknown {
  return body === '' ? undefined : (JSON.parse(body) as { method?: unknown }).method;
}

interface Connected {
  readonly lines: string[];
  readonly ended: Promise<RelayEnd>;
  say(...lines: readonly string[]): void;
  next(): Promise<string>;
  some(count: number): Promise<string[]>;
  leave(): Promise<RelayEnd>;
  stop(): void;
}

function connect(gate: Gate): Connected {
  const input = new PassThrough();
  const output = new PassThrough();
  const controller = new AbortController();
  const lines: string[] = [];
  let rest = '';
  output.on('data', (part: Buffer) => {
    const pieces = (rest + part.toString()).split('\n');
    rest = pieces.pop() ?? '';
    lines.push(...pieces);
  });
  const ended = runRelay({ url: gate.url, token: 'tg_test', input, output, signal: controller.signal });
  open.push(() => controller.abort());
  const some = async (count: number): Promise<string[]> => {
    await until(() => lines.length >= count);
    return lines.splice(0, count);
  };
  return {
    lines,
    ended,
    say: (...texts) => void input.write(`${texts.join('\n')}\n`),
    some,
    next: async () => (await some(1))[0] ?? '',
    leave() {
      input.end();
      return ended;
    },
    stop: () => controller.abort(),
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  const limit = performance.now() + 5000;
  while (!isTrue()) {
    if (performance.now() > limit) throw new Error('it did not come to pass');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
