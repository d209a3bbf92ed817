import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Collector, openCollector } from '../support/collector.js';
import { openPlace, type Place, waitFor } from '../support/gate.js';
import { watchLoading } from '../support/loaded-code.js';
import { clientWays, type Gated, openGated } from '../support/pairings.js';
import { openRawStdio, tokenOf } from '../support/raw-client.js';
import { openScripted, type Script, type ScriptedUpstream, upstreamWays } from '../support/upstreams.js';

/** Secrets in every possible place. None may appear in a log line or in a span. */
const canaries = {
  argument: 'canary-argument-7c1f',
  result: 'canary-result-22ab',
  error: 'canary-error-90de',
  question: 'canary-question-5b1e',
  variable: 'canary-variable-e4f1',
  header: 'canary-header-1d77',
  tokenInName: 'ghp_canaryCanaryCanaryCanary0123456789',
  serverLog: 'sk-canaryserverlog0123456789abcdef',
  userinfo: 'canary-userinfo-8c3d',
} as const;

const tools = ['plain', 'fails', 'refused', 'logs', 'asks'];
const script: Script = {
  lists: {
    'tools/list': tools.map((name) => `{"name":"${name}","inputSchema":{"type":"object"}}`),
    'prompts/list': ['{"name":"p"}'],
    'resources/list': ['{"uri":"x://r","name":"r"}'],
  },
  answers: {
    'tools/call': {
      plain: { result: `{"content":[{"type":"text","text":"${canaries.result}"}]}` },
      fails: { result: `{"isError":true,"content":[{"type":"text","text":"${canaries.result}"}]}` },
      refused: {
        error: `{"code":-32050,"message":"${canaries.error}","data":{"password":"${canaries.error}"}}`,
      },
      logs: {
        result: '{"content":[]}',
        notices: [
          `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"key":"${canaries.serverLog}"}}}`,
        ],
      },
      asks: {
        result: '{"content":[]}',
        asks: {
          q: `{"method":"elicitation/create","params":{"message":"${canaries.question}","requestedSchema":{"type":"object","properties":{}}}}`,
        },
      },
    },
    'prompts/get': { p: { result: `{"messages":[],"description":"${canaries.result}"}` } },
    'resources/read': { 'x://r': { result: `{"contents":[{"uri":"x://r","text":"${canaries.result}"}]}` } },
    'completion/complete': { p: { result: `{"completion":{"values":["${canaries.result}"]}}` } },
  },
};

interface Line {
  readonly level: number | string;
  readonly msg: string;
  readonly request?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly outcome?: string;
  readonly fault?: string;
  readonly isError?: boolean;
  readonly principal?: string;
  readonly protocol?: string;
  readonly ms?: number;
  readonly trace?: string;
}

const parent = 'b7ad6b7169203331';

/** What a client does in the test below, and what the gateway must record. */
const attempts = [
  {
    method: 'tools/call',
    members: '"name":"up_plain"',
    kind: 'tool',
    name: 'up_plain',
    outcome: 'content',
    span: 'tool.call.up_plain',
  },
  {
    method: 'tools/call',
    members: '"name":"up_fails"',
    kind: 'tool',
    name: 'up_fails',
    outcome: 'content',
    isError: true,
    span: 'tool.call.up_fails',
    error: 'tool.error',
  },
  {
    method: 'tools/call',
    members: '"name":"up_refused"',
    kind: 'tool',
    name: 'up_refused',
    outcome: 'fault',
    fault: 'upstream.error',
    span: 'tool.call.up_refused',
    error: 'upstream.error',
  },
  {
    method: 'tools/call',
    members: '"name":"nothing"',
    kind: 'tool',
    name: 'nothing',
    outcome: 'fault',
    fault: 'tool.not_found',
    span: 'tool.call.nothing',
    error: 'tool.not_found',
  },
  {
    method: 'tools/call',
    members: '"name":"up_logs"',
    kind: 'tool',
    name: 'up_logs',
    outcome: 'content',
    span: 'tool.call.up_logs',
  },
  {
    method: 'prompts/get',
    members: '"name":"up_p"',
    kind: 'prompt',
    name: 'up_p',
    outcome: 'content',
    span: 'prompt.get.up_p',
  },
  {
    method: 'resources/read',
    members: '"uri":"x://r"',
    kind: 'resource',
    name: 'x://r',
    outcome: 'content',
    span: 'resource.read',
  },
  {
    method: 'completion/complete',
    members: '"ref":{"type":"ref/prompt","name":"up_p"},"argument":{"name":"a","value":"b"}',
    kind: 'completion',
    outcome: 'content',
    span: 'completion.complete',
  },
] as const;

describe.each(upstreamWays)('a server over $wire with $protocol protocol', (way) => {
  let collector: Collector;
  let upstream: ScriptedUpstream;
  let gated: Gated;
  let logFile: string;

  beforeAll(async () => {
    collector = await openCollector();
    upstream = await openScripted(way.wire, way.protocol, script, { SERVER_SECRET: canaries.variable });
    const entry =
      way.wire === 'http'
        ? { ...upstream.entry, headers: { 'x-own': `Bearer ${canaries.header}` } }
        : upstream.entry;
    gated = await openGated(
      { up: { ...upstream, entry } },
      {
        log: { level: 'debug', file: 'gate.log' },
        telemetry: {
          endpoint: collector.endpoint,
          headers: { 'x-collector': 'mine' },
          service_name: 'suite',
        },
      },
    );
    logFile = join(gated.place.directory, 'workspace', 'gate.log');
  });
  afterAll(async () => {
    await gated.close();
    await collector.close();
  });

  const lines = (): readonly Line[] =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  const attempted = (): readonly Line[] => lines().filter(({ request }) => request !== undefined);

  describe.each(clientWays)('and a client over $wire with $protocol protocol', ({ wire, protocol }) => {
    // Lines and spans are written with a delay, so each test finds its own by trace id.
    const trace = randomBytes(16).toString('hex');
    const untraced = `nothing_${wire}_${protocol}`;

    it('writes one line and one span for each attempt, including refused ones', async () => {
      const client = await gated.connect(wire, { protocol });
      const meta = `"traceparent":"00-${trace}-${parent}-01","secret":"${canaries.argument}"`;
      for (const { method, members } of attempts) {
        await client.request(method, `${members},"arguments":{"password":"${canaries.argument}"}`, { meta });
      }
      await client.request('tools/call', `"name":"${untraced}"`);
      await client.request('tools/list', '', { meta });
      await client.close();
      const traced = () => attempted().filter((line) => line.trace === trace);
      const spansHere = () => collector.spans().filter(({ traceId }) => traceId === trace);
      const last = () => collector.spans().find(({ name }) => name === `tool.call.${untraced}`);
      await waitFor(
        () => traced().length >= attempts.length && last() !== undefined,
        10_000,
        () => `${String(traced().length)} lines, ${String(spansHere().length)} spans`,
      );
      const [written, spans] = [traced(), spansHere()];
      expect(written).toHaveLength(attempts.length);
      expect(spans).toHaveLength(attempts.length);
      expect(new Set(written.map(({ request }) => request)).size).toBe(attempts.length);
      expect(attempted().filter(({ name }) => name === untraced)).toHaveLength(1);
      expect(last()?.parentSpanId ?? '').toBe('');
      for (const [at, attempt] of attempts.entries()) {
        const {
          span: name,
          error,
          method: _method,
          members: _members,
          ...expected
        } = { error: undefined, ...attempt };
        expect(written[at]).toMatchObject({
          ...expected,
          protocol,
          trace,
          ms: expect.any(Number),
          principal: expect.stringMatching(/^local\/user:/),
        });
        const span = spans[at];
        expect(span).toMatchObject({
          name,
          traceId: trace,
          parentSpanId: parent,
          isError: error !== undefined,
        });
        expect(span?.attributes).toMatchObject({
          'request.id': written[at]?.request,
          principal: written[at]?.principal,
          duration: expect.any(Number),
          ...(error === undefined ? { source: 'server:up' } : { error: true, 'error.code': error }),
        });
      }
    });

    it('passes the trace of the caller on to the server', async () => {
      const client = await gated.connect(wire, { protocol });
      const own = randomBytes(16).toString('hex');
      const meta = `"traceparent":"00-${own}-${parent}-01","tracestate":"a=b"`;
      await client.request('tools/call', '"name":"up_plain"', { meta });
      const heard = upstream.heardOf('tools/call').at(-1) ?? '';
      expect(heard).toContain(`"traceparent":"00-${own}-${parent}-01"`);
      expect(heard).toContain('"tracestate":"a=b"');
      await client.close();
    });

    it('writes no secret in lines or spans', async () => {
      const client = await gated.connect(wire, {
        protocol,
        capabilities: '{"elicitation":{}}',
        answer: () => `{"action":"accept","content":{"a":"${canaries.argument}"}}`,
      });
      const secret = `"arguments":{"password":"${canaries.argument}","deep":{"x":["${canaries.argument}"]}}`;
      for (const tool of tools) await client.request('tools/call', `"name":"up_${tool}",${secret}`);
      await client.request('tools/call', `"name":"${canaries.tokenInName}",${secret}`);
      await client.request('resources/read', `"uri":"http://user:${canaries.userinfo}@host/x"`);
      await client.request('prompts/get', `"name":"up_p",${secret}`);
      await client.close();
      await waitFor(
        () =>
          collector.spans().some(({ name }) => name === 'tool.call.[redacted]') &&
          attempted().some(({ name }) => name === '[redacted]'),
        10_000,
        () => 'the last attempts were not recorded',
      );
      const told = [readFileSync(logFile, 'utf8'), ...collector.texts].join('\n');
      expect(secretsIn(told, { ...canaries, token: tokenOf(gated.place) })).toEqual([]);
    });
  });

  it('never sends the token of a client to a server, a log or a collector', () => {
    const token = tokenOf(gated.place);
    const heard = JSON.stringify(upstream.heard());
    // The control: everything the server receives is recorded, including headers and environment, so a leak would be found.
    if (way.wire === 'http') expect(secretsIn(heard, { header: canaries.header })).toEqual(['header']);
    else expect(secretsIn(heard, { variable: canaries.variable })).toEqual(['variable']);
    expect(secretsIn(`Authorization: Bearer ${token}`, { token })).toEqual(['token']);
    expect(
      secretsIn([heard, readFileSync(logFile, 'utf8'), ...collector.texts].join('\n'), { token }),
    ).toEqual([]);
  });
});

function secretsIn(text: string, secrets: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));
}

describe('without a log file', () => {
  it('lines go to standard error, and standard output contains only protocol messages', async () => {
    const upstream = await openScripted('stdio', 'legacy', script);
    const place = openPlace({ servers: { up: upstream.entry }, log: { level: 'debug' } });
    const client = await openRawStdio(place, { protocol: 'legacy' });
    for (let i = 0; i < 20; i += 1) await client.request('tools/call', '"name":"up_logs"');
    await client.close();
    // The raw client reads every line of standard output as JSON and fails on anything else.
    const written = client
      .said()
      .split('\n')
      .filter((line) => line.includes('"tool.call"'));
    expect(written).toHaveLength(20);
    for (const text of client.heard) expect(text).toContain('"jsonrpc":"2.0"');
    place.close();
    await upstream.close();
  });
});

describe('OpenTelemetry', () => {
  async function loadedBy(place: Place): Promise<readonly string[]> {
    const watched = watchLoading(place);
    const client = await openRawStdio(watched.place, { protocol: 'legacy' });
    await client.request('tools/call', '"name":"up_plain"');
    await client.close();
    const sources = watched.sources();
    watched.close();
    return sources;
  }

  it('is loaded only if a collector is configured (with control)', async () => {
    const [upstream, collector] = [await openScripted('stdio', 'legacy', script), await openCollector()];
    const servers = { up: upstream.entry };
    const [without, within] = [
      openPlace({ servers }),
      openPlace({ servers, telemetry: { endpoint: collector.endpoint } }),
    ];
    const isTelemetry = (source: string): boolean =>
      source.includes('@opentelemetry') || source.includes('concerns/telemetry');
    const plain = await loadedBy(without);
    expect(plain.length).toBeGreaterThan(20);
    expect(plain.filter(isTelemetry)).toEqual([]);
    expect((await loadedBy(within)).filter(isTelemetry).length).toBeGreaterThan(20);
    for (const place of [without, within]) place.close();
    await collector.close();
    await upstream.close();
  });
});
