import type { Span } from '@opentelemetry/api';
import type { Attempt, Beginning, EndStep, Observer, OpenSpanFor } from '../../core/index.js';
import { callerOf, endingOf, openingOf } from './attempt-span.js';

export interface TelemetryOptions {
  /** The collector's URL with its path, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  /** Removes secrets from the names of spans and steps. */
  readonly redact: (text: string) => string;
  /** Additional attributes of an attempt, for statistics. */
  readonly factsOf?: (attempt: Attempt) => Readonly<Record<string, string | number | boolean>>;
}

export interface Telemetry {
  readonly observer: Observer;
  readonly openSpan: OpenSpanFor;
  /** Send the remaining spans, within two seconds. */
  close(): Promise<void>;
}

const closeMs = 2000;
const exportMs = 5000;
const queue = {
  maxQueueSize: 2048,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 1000,
  exportTimeoutMillis: exportMs,
};

/** Load OpenTelemetry and start sending spans. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const sdk = await import('./open-telemetry.js');
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = sdk;
  const exporter = new sdk.OTLPTraceExporter({
    url: options.endpoint,
    headers: { ...options.headers },
    timeoutMillis: exportMs,
    concurrencyLimit: 8,
  });
  const provider = new sdk.NodeTracerProvider({
    resource: sdk.resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
    }),
    // Set explicitly, because otherwise the environment decides.
    sampler: new sdk.ParentBasedSampler({ root: new sdk.AlwaysOnSampler() }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter, queue)],
  });
  const tracer = provider.getTracer('tidegate', options.version);

  /** At most one per request in flight. */
  const open = new Map<string, Span>();

  function begin(begun: Beginning): (attempt: Attempt) => void {
    const caller = callerOf(begun.trace);
    const context = caller ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT;
    const { name, attributes } = openingOf(begun);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
    open.set(begun.id, span);
    return (attempt) => {
      open.delete(begun.id);
      const ending = endingOf(attempt);
      span.setAttributes({ ...ending.attributes, ...options.factsOf?.(attempt) });
      if (ending.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: ending.error });
      span.end();
    };
  }

  /** A child of the request's span. */
  function step(requestId: string, name: string): EndStep {
    const parent = open.get(requestId);
    const context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const span = tracer.startSpan(`tool.step.${name}`, { kind: SpanKind.INTERNAL }, context);
    return (failure) => {
      if (failure !== undefined)
        span.setStatus({ code: SpanStatusCode.ERROR, message: options.redact(failure) });
      span.end();
    };
  }

  const openSpan: OpenSpanFor = (name, attributes, parent) => {
    const caller = callerOf(parent);
    const context = caller ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT;
    const shown = Object.entries(attributes).map(
      ([key, value]) => [key, typeof value === 'string' ? options.redact(value) : value] as const,
    );
    const span = tracer.startSpan(
      options.redact(name),
      { kind: SpanKind.INTERNAL, attributes: Object.fromEntries(shown) },
      context,
    );
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      trace: { traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` },
      end(error) {
        if (error !== undefined) {
          span.setAttributes({ error: true, 'error.code': error });
          span.setStatus({ code: SpanStatusCode.ERROR, message: error });
        }
        span.end();
      },
    };
  };

  return {
    openSpan,
    observer: { name: 'telemetry', begin, step },
    close: () => withinLimit(provider.shutdown()),
  };
}

/** A collector that does not respond must not block or fail anything. */
async function withinLimit(done: Promise<void>): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    limit = setTimeout(resolve, closeMs);
  });
  await Promise.race([done.catch(() => undefined), late]);
  clearTimeout(limit);
}
