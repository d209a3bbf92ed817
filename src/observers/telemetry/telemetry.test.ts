import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { trace } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import {
  beginAttempt,
  type Call,
  createFault,
  faulted,
  type Outcome,
  type Request,
} from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import { openTelemetry, type Telemetry } from './telemetry.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('openTelemetry', () => {
  it("sends one span per tool call, as a child of the caller's span", async () => {
    const collector = await openCollector();
    const telemetry = await open(collector.url);
    attempt(telemetry, { request: { trace: { traceparent: `00-${traceId}-${parentId}-01` } } });
    await telemetry.close();
    const [span, ...others] = collector.spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({ name: 'tool.call.files_read', traceId, parentSpanId: parentId, kind: 2 });
    expect(attributesOf(span)).toEqual({
      tool: 'files_read',
      source: 'server:files',
      provider: 'files',
      principal: 'local/user:ann',
      session: 's-1',
      'request.id': 'r-1',
      'client.protocol': 'modern',
      duration: 1.235,
      'tool.duration_ms': 1.235,
      'tool.source': 'server:files',
      'tool.name': 'files_read',
      outcome: 'content',
    });
    expect(span?.status.code ?? 0).toBe(0);
  });

  it('sends its service name and the configured headers', async () => {
    const collector = await openCollector();
    const telemetry = await open(collector.url);
    attempt(telemetry, {});
    await telemetry.close();
    expect(collector.headers()).toMatchObject({ 'x-tenant': 'blue', 'content-type': 'application/json' });
    expect(attributesOf(collector.resource())).toMatchObject({
      'service.name': 'a-gate',
      'service.version': '1.2.3',
    });
  });

  it.each([
    ['a fault', faulted(createFault('call.timeout', 'secret text of a server')), 'call.timeout'],
    [
      'a tool error',
      { kind: 'content', result: JsonText.from({ content: [], isError: true }) },
      'tool.error',
    ],
  ] as const)('marks %s as an error without its text', async (_what, outcome, code) => {
    const collector = await openCollector();
    const telemetry = await open(collector.url);
    attempt(telemetry, { outcome });
    await telemetry.close();
    const [span] = collector.spans();
    expect(span?.status).toEqual({ code: 2, message: code });
    expect(attributesOf(span)).toMatchObject({ error: true, 'error.code': code, outcome: outcome.kind });
    expect(collector.text()).not.toContain('secret text');
  });

  it.each([
    ['prompt.get.greet', { kind: 'prompt', name: 'greet' }, { prompt: 'greet' }],
    ['resource.read', { kind: 'resource', uri: 'file:///x' }, { resource: 'file:///x' }],
    [
      'completion.complete',
      { kind: 'completion', of: { kind: 'prompt', name: 'greet' } },
      { completion: 'greet' },
    ],
  ] as const)('calls a span %s', async (name, wanted, attributes) => {
    const collector = await openCollector();
    const telemetry = await open(collector.url);
    attempt(telemetry, { request: { wanted } });
    await telemetry.close();
    expect(collector.spans()).toMatchObject([{ name }]);
    expect(attributesOf(collector.spans()[0])).toMatchObject(attributes);
  });

  it("passes the caller's texts to the redactor", async () => {
    const collector = await openCollector();
    const telemetry = await open(collector.url);
    attempt(telemetry, { request: { wanted: { kind: 'tool', name: 'hunter2' } } });
    await telemetry.close();
    expect(collector.text()).not.toContain('hunter2');
    expect(collector.spans()).toMatchObject([{ name: 'tool.call.[redacted]' }]);
  });

  it.each(['', 'nonsense', `00-${'0'.repeat(32)}-${parentId}-01`, `ff-${traceId}-${parentId}-01`])(
    'starts a new trace for the traceparent %j',
    async (traceparent) => {
      const collector = await openCollector();
      const telemetry = await open(collector.url);
      attempt(telemetry, { request: { trace: { traceparent } } });
      await telemetry.close();
      const [span] = collector.spans();
      expect(span?.traceId).toMatch(/^[\da-f]{32}$/);
      expect(span?.traceId).not.toBe(traceId);
      expect(span?.parentSpanId ?? '').toBe('');
    },
  );

  it('sends no span of a trace that the caller does not sample', async () => {
    const collector = await openCollector();
    const telemetry = await open(collector.url);
    attempt(telemetry, { request: { trace: { traceparent: `00-${traceId}-${parentId}-00` } } });
    await telemetry.close();
    expect(collector.spans()).toEqual([]);
  });

  it('registers no global provider', async () => {
    const telemetry = await open('http://127.0.0.1:9/v1/traces');
    const span = trace.getTracer('other').startSpan('x');
    expect(span.isRecording()).toBe(false);
    await telemetry.close();
  });

  it.each(['silent', 'gone', 'failing'] as const)(
    'closes in time when the collector is %s',
    async (behaviour) => {
      const collector = await openCollector(behaviour);
      const telemetry = await open(collector.url);
      for (let i = 0; i < 3000; i += 1) attempt(telemetry, {});
      const started = performance.now();
      await telemetry.close();
      await telemetry.close();
      expect(performance.now() - started).toBeLessThan(15_000);
    },
  );
});

function open(endpoint: string): Promise<Telemetry> {
  return openTelemetry({
    endpoint,
    headers: { 'x-tenant': 'blue' },
    serviceName: 'a-gate',
    version: '1.2.3',
    redact,
  });
}

const redact = (text: string): string => text.replace('hunter2', '[redacted]');

interface Overrides {
  readonly request?: Partial<Request>;
  readonly outcome?: Outcome;
}

function attempt(telemetry: Telemetry, { request: changes, outcome }: Overrides): void {
  const request: Request = {
    id: 'r-1',
    session: { id: 's-1', principal: { kind: 'user', id: 'ann', zone: 'local' }, scope: 'connection' },
    client: { protocol: 'modern', protocolVersion: '2026-07-28', capabilities: JsonText.from({}) },
    wanted: { kind: 'tool', name: 'files_read' },
    params: JsonText.from({}),
    ...changes,
  };
  // Only `admit` creates calls; an attempt reads two of their fields.
  const call = {
    providerId: 'files',
    target: { kind: 'tool', spec: { source: 'server:files' } },
  } as unknown as Call;
  const begun = beginAttempt(request, redact);
  const end = telemetry.observer.begin(begun);
  end(begun.end(outcome ?? { kind: 'content', result: JsonText.from({ content: [] }) }, call, 1.2345));
}

interface Attributed {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface SentSpan extends Attributed {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: Attributed;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface Collector {
  readonly url: string;
  spans(): readonly SentSpan[];
  resource(): Attributed | undefined;
  headers(): IncomingHttpHeaders | undefined;
  text(): string;
}

/** A real OTLP receiver over HTTP that responds, stays silent, fails, or is missing. */
async function openCollector(
  behaviour: 'answering' | 'silent' | 'failing' | 'gone' = 'answering',
): Promise<Collector> {
  const bodies: string[] = [];
  let headers: IncomingHttpHeaders | undefined;
  const server = createServer((request, response) => {
    headers = request.headers;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      if (behaviour === 'failing') response.writeHead(503);
      if (behaviour !== 'silent') response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (behaviour === 'gone') await new Promise((resolve) => server.close(resolve));
  else servers.push(server);
  const sent = (): Sent[] => bodies.map((body) => JSON.parse(body) as Sent);
  return {
    url: `http://127.0.0.1:${String(port)}/v1/traces`,
    spans: () =>
      sent().flatMap((s) => s.resourceSpans.flatMap((r) => r.scopeSpans.flatMap(({ spans }) => spans))),
    resource: () => sent()[0]?.resourceSpans[0]?.resource,
    headers: () => headers,
    text: () => bodies.join('\n'),
  };
}

function attributesOf(subject: Attributed | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (subject?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
  );
}
