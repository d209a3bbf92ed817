import { afterEach, describe, expect, it } from 'vitest';
import { type Hit, openEndpoint, type ScriptedEndpoint } from '../../../test/support/scripted-endpoint.js';
import { echoCall, echoSpec, faultOf } from '../../../test/support/scripted-provider.js';
import { echoTool } from '../../../test/support/scripted-upstream.js';
import {
  callOf,
  type CallOptions,
  type ExchangeOptions,
  recordExchange,
} from '../../../test/support/upstream-calls.js';
import { JsonText } from '../../lib/json-text.js';
import type { Outcome, Provider } from '../../core/index.js';
import type { McpProviderOptions } from './options.js';
import { openMcpProvider } from './provider.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(script: (hit: Hit) => void, more: Partial<McpProviderOptions> = {}) {
  const endpoint = await openEndpoint(script);
  closing.push(() => endpoint.close());
  const provider = openMcpProvider({
    name: 's',
    transport: { kind: 'http', url: endpoint.url, headers: { Authorization: 'Bearer ours' } },
    prefix: 's_',
    offers: () => true,
    timeoutMs: 10_000,
    idleMs: 0,
    protocol: 'auto',
    trusted: true,
    enabled: true,
    processes: { start: () => Promise.reject(new Error('none')), close: () => Promise.resolve() },
    memory: { read: () => undefined, write: () => undefined },
    version: '1.2.3',
    createRedactor: () => (line) => line,
    log: () => undefined,
    ...more,
  });
  closing.push(() => provider.close());
  return { endpoint, provider };
}

function call(provider: Provider, requests: CallOptions & ExchangeOptions = {}) {
  const { exchange, seen } = recordExchange(requests);
  return { outcome: provider.call(echoCall(requests), exchange), seen };
}

const named = (endpoint: ScriptedEndpoint, name: string): Hit[] =>
  endpoint.hits.filter(({ message }) => message.method === name);
const textOf = (outcome: Outcome): unknown =>
  outcome.kind === 'content' ? outcome.result.text : faultOf(outcome);

/** A legacy endpoint with sessions; `more` answers calls. */
function legacy(more: (hit: Hit) => void, options: { readonly stream?: (hit: Hit) => void } = {}) {
  let sessions = 0;
  return (hit: Hit): void => {
    const { method } = hit.message;
    if (hit.method === 'GET')
      return options.stream ? options.stream(hit) : void hit.response.writeHead(405).end();
    if (hit.method === 'DELETE') return void hit.response.writeHead(200).end();
    if (method === 'server/discover') return void hit.response.writeHead(400).end('Bad Request');
    if (method === 'initialize') {
      sessions += 1;
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} } };
      return hit.result(result, { 'mcp-session-id': `session-${sessions}` });
    }
    if (method === 'tools/list') return hit.result({ tools: [echoTool] });
    if (hit.message.id === undefined || method === undefined) return void hit.response.writeHead(202).end();
    more(hit);
  };
}

function modern(more: (hit: Hit) => void, tools: readonly unknown[] = [echoTool]) {
  return (hit: Hit): void => {
    const { method } = hit.message;
    if (method === 'server/discover') {
      return hit.result({
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
      });
    }
    if (method === 'tools/list') return hit.result({ resultType: 'complete', tools });
    more(hit);
  };
}

const ok = (hit: Hit): void => hit.result({ content: [] });

describe('a legacy server over HTTP', () => {
  it('gets a session, requests in it, and its end', async () => {
    const { endpoint, provider } = await open(legacy(ok));
    expect((await call(provider).outcome).kind).toBe('content');
    await provider.close();
    const opening = named(endpoint, 'initialize')[0];
    expect(opening?.headers['mcp-session-id']).toBeUndefined();
    const later = [
      ...named(endpoint, 'notifications/initialized'),
      ...named(endpoint, 'tools/list'),
      ...named(endpoint, 'tools/call'),
      ...endpoint.hits.filter(({ method }) => method === 'GET' || method === 'DELETE'),
    ];
    expect(later).toHaveLength(5);
    for (const { headers } of [...later, ...(opening ? [opening] : [])]) {
      expect(headers['authorization']).toBe('Bearer ours');
    }
    for (const { headers } of later) {
      expect(headers['mcp-session-id']).toBe('session-1');
      expect(headers['mcp-protocol-version']).toBe('2025-11-25');
    }
    expect(named(endpoint, 'tools/call')[0]?.headers.accept).toBe('application/json, text/event-stream');
    expect(named(endpoint, 'tools/call')[0]?.headers['mcp-method']).toBeUndefined();
  });

  it('gets no request before the handshake is complete', async () => {
    const order: unknown[] = [];
    const script = legacy(ok);
    const { provider } = await open((hit) => {
      if (hit.message.method !== 'notifications/initialized') {
        order.push(hit.message.method ?? hit.method);
        return script(hit);
      }
      setTimeout(() => {
        order.push('initialized');
        script(hit);
      }, 50);
    });
    await provider.ready();
    expect(order.slice(0, 3)).toEqual(['server/discover', 'initialize', 'initialized']);
  });

  it('can answer with a body or a stream', async () => {
    const result = '{"content":[ ],"n":12345678901234567890}';
    for (const asStream of [false, true]) {
      const { provider } = await open(
        legacy((hit) => {
          const text = `{"jsonrpc":"2.0","id":${String(hit.message.id)},"result":${result}}`;
          if (asStream) {
            const stream = hit.stream();
            stream.send(`: hello\r\n\r\nevent: message\r\ndata: ${text}\r\n\r\n`);
            stream.end();
          } else hit.response.writeHead(200, { 'content-type': 'application/json' }).end(text);
        }),
      );
      expect(textOf(await call(provider).outcome)).toBe(result);
    }
  });

  it.each([
    ['404', (hit: Hit): void => void hit.response.writeHead(404).end()],
    [
      '400 without an id',
      (hit: Hit): void =>
        hit.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no session' } }, 400),
    ],
  ])('is opened again once if it lost the session and says %s', async (_what, refuse) => {
    const { endpoint, provider } = await open(
      legacy((hit) => (hit.headers['mcp-session-id'] === 'session-1' ? refuse(hit) : ok(hit))),
    );
    await provider.ready();
    const outcomes = await Promise.all([call(provider).outcome, call(provider).outcome]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['content', 'content']);
    expect(named(endpoint, 'initialize')).toHaveLength(2);
    expect(named(endpoint, 'tools/call').at(-1)?.headers['mcp-session-id']).toBe('session-2');
  });

  it('is given up if it loses every session, and the call gets one answer', async () => {
    const { endpoint, provider } = await open(legacy((hit) => void hit.response.writeHead(404).end()));
    await provider.ready();
    expect(faultOf(await call(provider).outcome)).toBe('provider.unavailable');
    expect(named(endpoint, 'tools/call')).toHaveLength(2);
  });

  it('is reconnected after it went away and came back', async () => {
    const { endpoint, provider } = await open(legacy(ok));
    await provider.ready();
    await endpoint.close();
    expect(faultOf(await call(provider).outcome)).toMatch(/^provider\.(unavailable|lost)$/);
    const forgetful = legacy(ok);
    const again = await openEndpoint(
      (hit) => {
        if (hit.headers['mcp-session-id'] === 'session-1' && named(again, 'initialize').length === 0) {
          hit.response.writeHead(400).end();
        } else forgetful(hit);
      },
      Number(new URL(endpoint.url).port),
    );
    closing.push(() => again.close());
    const outcomes = await Promise.all([call(provider).outcome, call(provider).outcome]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['content', 'content']);
    expect(named(again, 'initialize')).toHaveLength(1);
  });

  it('holds calls back while its session is opened again', async () => {
    const script = legacy((hit) =>
      hit.headers['mcp-session-id'] === 'session-2' ? ok(hit) : void hit.response.writeHead(404).end(),
    );
    const { endpoint, provider } = await open((hit) => {
      if (hit.message.method === 'initialize') setTimeout(() => script(hit), 50);
      else script(hit);
    });
    await provider.ready();
    const first = call(provider).outcome;
    await expect.poll(() => named(endpoint, 'initialize').length).toBe(2);
    const second = call(provider).outcome;
    expect([(await first).kind, (await second).kind]).toEqual(['content', 'content']);
    expect(named(endpoint, 'tools/call')).toHaveLength(3);
  });

  it('asks the caller whose stream carries the question, even with other calls in flight', async () => {
    const { endpoint, provider } = await open(
      legacy((hit) => {
        const stream = hit.stream();
        stream.event({
          jsonrpc: '2.0',
          id: `q${String(hit.message.id)}`,
          method: 'elicitation/create',
          params: {},
        });
        stream.event({
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level: 'error', data: hit.message.id },
        });
        setTimeout(() => {
          stream.event({ jsonrpc: '2.0', id: hit.message.id, result: {} });
          stream.end();
        }, 100);
      }),
    );
    await provider.ready();
    const requests = (session: string): CallOptions & ExchangeOptions => ({
      session,
      can: ['elicitation/create'],
      logLevel: 'info',
      answer: () => ({ kind: 'answer', result: JsonText.from({ action: 'accept', session }) }),
    });
    const calls = ['one', 'two', 'three'].map((session) => call(provider, requests(session)));
    await Promise.all(calls.map(({ outcome }) => outcome));
    for (const { seen } of calls) expect([seen.questions.length, seen.logs.length]).toEqual([1, 1]);
    const answers = () =>
      endpoint.hits
        .filter(({ message }) => message.method === undefined && message.result !== undefined)
        .map(({ message }) => (message.result as { session: string }).session)
        .sort();
    // On a busy machine an answer may arrive after the call that it belongs to is over.
    await expect.poll(answers).toEqual(['one', 'three', 'two']);
  });

  it('resumes a stream that ended before the answer, where it broke', async () => {
    let from: unknown;
    const { provider } = await open(
      legacy(
        (hit) => {
          const stream = hit.stream();
          stream.send(`id: e1\nretry: 20\ndata:\n\n`);
          setTimeout(() => stream.end(), 10);
        },
        {
          stream(hit) {
            if (hit.headers['last-event-id'] === undefined) return void hit.response.writeHead(405).end();
            from = hit.headers['last-event-id'];
            const stream = hit.stream();
            const id = endpointId;
            stream.event({ jsonrpc: '2.0', id, result: { content: ['resumed'] } }, 'e2');
          },
        },
      ),
    );
    await provider.ready();
    const endpointId = 4;
    expect(textOf(await call(provider).outcome)).toBe('{"content":["resumed"]}');
    expect(from).toBe('e1');
  });

  it('loses a call whose stream ends without an answer and cannot be resumed', async () => {
    const { provider } = await open(legacy((hit) => hit.stream().end()));
    await provider.ready();
    expect(faultOf(await call(provider).outcome)).toBe('provider.lost');
  });

  it('gets a cancellation, and the stream is closed', async () => {
    let gone: Promise<void> | undefined;
    const { endpoint, provider } = await open(
      legacy((hit) => {
        hit.stream();
        gone = hit.gone;
      }),
    );
    await provider.ready();
    const controller = new AbortController();
    const { outcome } = call(provider, { signal: controller.signal });
    await expect.poll(() => gone !== undefined).toBe(true);
    controller.abort();
    expect(faultOf(await outcome)).toBe('call.cancelled');
    await gone;
    await expect.poll(() => named(endpoint, 'notifications/cancelled').length).toBe(1);
    expect(named(endpoint, 'notifications/cancelled')[0]?.message.params?.['requestId']).toBe(
      named(endpoint, 'tools/call')[0]?.message.id,
    );
  });

  it('gets a cancellation again if it had not received the call', async () => {
    let answerLate: (() => void) | undefined;
    const { endpoint, provider } = await open(
      legacy((hit) => {
        answerLate = () => void hit.stream();
      }),
    );
    await provider.ready();
    const controller = new AbortController();
    const { outcome } = call(provider, { signal: controller.signal });
    await expect.poll(() => answerLate !== undefined).toBe(true);
    controller.abort();
    expect(faultOf(await outcome)).toBe('call.cancelled');
    await expect.poll(() => named(endpoint, 'notifications/cancelled').length).toBe(1);
    answerLate?.();
    await expect.poll(() => named(endpoint, 'notifications/cancelled').length).toBe(2);
  });

  it('is read on its own stream, which is reopened where it broke', async () => {
    let opened = 0;
    const { endpoint, provider } = await open(
      legacy(ok, {
        stream(hit) {
          opened += 1;
          const stream = hit.stream();
          stream.send('retry: 10\n\n');
          stream.event({ jsonrpc: '2.0', id: `ping${opened}`, method: 'ping' }, `e${opened}`);
          if (opened === 1) setTimeout(() => stream.end(), 20);
        },
      }),
    );
    await provider.ready();
    await expect.poll(() => opened).toBe(2);
    const gets = endpoint.hits.filter(({ method }) => method === 'GET');
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1']);
    await expect
      .poll(() => endpoint.hits.filter(({ message }) => message.result !== undefined).length)
      .toBe(2);
  });
});

describe('a modern server over HTTP', () => {
  it('gets the headers that mirror the body', async () => {
    const { endpoint, provider } = await open(modern(ok));
    await call(provider).outcome;
    const { headers } = named(endpoint, 'tools/call')[0] ?? {};
    expect(headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      authorization: 'Bearer ours',
    });
    expect(headers?.['mcp-session-id']).toBeUndefined();
    const spec = {
      kind: 'resource',
      uri: 'a://ü',
      source: 'server:s',
      definition: JsonText.from({}),
    } as const;
    await provider.call(
      callOf({ kind: 'resource', uri: spec.uri, spec }, { params: '{"uri":"a://ü"}' }),
      recordExchange().exchange,
    );
    expect(named(endpoint, 'resources/read')[0]?.headers['mcp-name']).toBe('=?base64?YTovL8O8?=');
    expect(endpoint.hits.every(({ method }) => method === 'POST')).toBe(true);
  });

  it('gets marked parameters as headers, and tools with invalid marks are dropped', async () => {
    const inputSchema = { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } };
    const invalid = { type: 'object', properties: { r: { type: 'number', 'x-mcp-header': 'Region' } } };
    const tools = [
      { name: 'echo', inputSchema },
      { name: 'bad', inputSchema: invalid },
    ];
    const { endpoint, provider } = await open(modern(ok, tools));
    await provider.ready();
    expect(provider.list().tools.map(({ name }) => name)).toEqual(['s_echo']);
    const spec = provider.list().tools[0] ?? echoSpec;
    const params = '{"name":"s_echo","arguments":{"r":" eu "}}';
    await provider.call(callOf({ kind: 'tool', spec }, { params }), recordExchange().exchange);
    expect(named(endpoint, 'tools/call')[0]?.headers['mcp-param-region']).toBe(
      '=?base64?IGV1ID0=?='.replace('ID0', 'IA='),
    );
  });

  it('is asked for its tools again if it rejects the headers', async () => {
    const { endpoint, provider } = await open(
      modern((hit) =>
        hit.json(
          { jsonrpc: '2.0', id: hit.message.id, error: { code: -32020, message: 'header mismatch' } },
          400,
        ),
      ),
    );
    await provider.ready();
    expect(faultOf(await call(provider).outcome)).toBe('upstream.error');
    await expect.poll(() => named(endpoint, 'tools/list').length).toBe(2);
  });

  it('treats a closed stream as a cancellation and gets no message about it', async () => {
    let gone: Promise<void> | undefined;
    const { endpoint, provider } = await open(
      modern((hit) => {
        hit.stream();
        gone = hit.gone;
      }),
    );
    await provider.ready();
    const controller = new AbortController();
    const { outcome } = call(provider, { signal: controller.signal });
    await expect.poll(() => gone !== undefined).toBe(true);
    controller.abort();
    expect(faultOf(await outcome)).toBe('call.cancelled');
    await gone;
    expect(named(endpoint, 'notifications/cancelled')).toHaveLength(0);
  });

  it('can be silent on a stream for longer than the keep-alive timeout', async () => {
    const { provider } = await open(
      modern((hit) => {
        const stream = hit.stream();
        setTimeout(() => stream.event({ jsonrpc: '2.0', id: hit.message.id, result: { slow: true } }), 4500);
      }),
    );
    await provider.ready();
    expect(textOf(await call(provider).outcome)).toBe('{"slow":true}');
  });

  it('can return its own error with any status', async () => {
    const { provider } = await open(
      modern((hit) =>
        hit.json(
          { jsonrpc: '2.0', id: hit.message.id, error: { code: -32602, message: 'Unknown tool' } },
          404,
        ),
      ),
    );
    await provider.ready();
    expect(faultOf(await call(provider).outcome)).toBe('upstream.error');
  });
});

describe('an endpoint that misbehaves', () => {
  it.each<readonly [string, (hit: Hit) => void, string]>([
    [
      'a body that is not JSON',
      (hit) => void hit.response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
      'provider.malformed',
    ],
    [
      'the answer to another request',
      (hit) => hit.json({ jsonrpc: '2.0', id: 999, result: {} }),
      'provider.malformed',
    ],
    ['202 and nothing', (hit) => void hit.response.writeHead(202).end(), 'provider.malformed'],
    [
      'bytes that are not UTF-8',
      (hit) =>
        void hit.response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0xff])),
      'provider.malformed',
    ],
    ['401', (hit) => void hit.response.writeHead(401).end(), 'provider.unavailable'],
    ['503', (hit) => void hit.response.writeHead(503).end('busy'), 'provider.unavailable'],
    ['500', (hit) => void hit.response.writeHead(500).end('oops'), 'provider.lost'],
    ['a connection that breaks', (hit) => hit.response.destroy(), 'provider.lost'],
    [
      'a body that breaks',
      (hit) => {
        hit.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        hit.response.write('{');
        setTimeout(() => hit.response.destroy(), 20);
      },
      'provider.lost',
    ],
    [
      'a redirect to another origin',
      (hit) => void hit.response.writeHead(307, { location: 'http://127.0.0.1:1/mcp' }).end(),
      'provider.unavailable',
    ],
  ])('answers with %s', async (_what, misbehave, code) => {
    const { provider } = await open(modern(misbehave));
    await provider.ready();
    expect(faultOf(await call(provider).outcome)).toBe(code);
  });

  it('is followed to another path of the same origin, a limited number of times', async () => {
    const { endpoint, provider } = await open(
      modern((hit) =>
        hit.path === '/mcp' ? void hit.response.writeHead(308, { location: '/other' }).end() : ok(hit),
      ),
    );
    await provider.ready();
    expect((await call(provider).outcome).kind).toBe('content');
    expect(endpoint.hits.at(-1)).toMatchObject({ path: '/other', method: 'POST' });
    const loop = await open(modern((hit) => void hit.response.writeHead(308, { location: '/mcp' }).end()));
    await loop.provider.ready();
    expect(faultOf(await call(loop.provider).outcome)).toBe('provider.unavailable');
  });

  it('that cannot be reached is reported', async () => {
    const { endpoint, provider } = await open(modern(ok));
    await endpoint.close();
    expect(faultOf(await call(provider).outcome)).toBe('provider.unavailable');
    expect(provider.status().state).toBe('failed');
  });

  it('never gets a header that HTTP cannot carry', async () => {
    const { provider } = await open(modern(ok), {
      transport: { kind: 'http', url: 'http://127.0.0.1:9/', headers: { 'x-bad': 'a\nb' } },
    });
    expect(faultOf(await call(provider).outcome)).toBe('provider.unavailable');
  });
});
