/**
 * The parts of OpenTelemetry that we use, loaded as one module: a bundled CommonJS package that is imported
 * dynamically has no named exports.
 */
export { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
export { resourceFromAttributes } from '@opentelemetry/resources';
export {
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
} from '@opentelemetry/sdk-trace-node';
