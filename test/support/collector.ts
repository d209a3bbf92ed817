import { createServer } from 'node:http';

export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** A real OTLP/HTTP receiver on the loopback interface. */
export interface Collector {
  readonly endpoint: string;
  /** Every body and every header that came, as text. */
  readonly texts: readonly string[];
  spans(): readonly Span[];
  close(): Promise<void>;
}

interface RawSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code?: number };
}

interface Body {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

export async function openCollector(): Promise<Collector> {
  const bodies: Body[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      texts.push(JSON.stringify(request.headers), text);
      bodies.push(JSON.parse(text) as Body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    endpoint: `http://127.0.0.1:${String(port)}/v1/traces`,
    texts,
    spans: () =>
      bodies
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans.map(readSpan)),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function readSpan({ name, traceId, spanId, parentSpanId, attributes, status }: RawSpan): Span {
  const values = attributes.map(({ key, value }) => [key, Object.values(value)[0]] as const);
  return {
    name,
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    attributes: Object.fromEntries(values),
    isError: status?.code === 2,
  };
}
