import type { Attempt, Beginning, Trace } from '../../core/index.js';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The caller's open span, from its `traceparent`. */
export interface Caller {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote: true;
}

const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** Undefined if the caller sent no valid span: then the attempt starts a new trace. */
export function callerOf(trace: Trace | undefined): Caller | undefined {
  const match = trace && traceparent.exec(trace.traceparent);
  if (!match) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** What is known about an attempt when it begins. */
export function openingOf(begun: Beginning): { readonly name: string; readonly attributes: Attributes } {
  const { kind, name, client, via } = begun;
  const attributes = {
    [kind]: name,
    ...(kind === 'tool' && { 'tool.name': name }),
    'request.id': begun.id,
    principal: begun.principal,
    session: begun.sessionId,
    'client.protocol': client.protocol,
    ...(via !== undefined && { via }),
  };
  if (kind === 'tool') return { name: `tool.call.${name}`, attributes };
  if (kind === 'prompt') return { name: `prompt.get.${name}`, attributes };
  return { name: kind === 'resource' ? 'resource.read' : 'completion.complete', attributes };
}

/** What is known when it has ended. `error` is a short code, never text from the caller or a server. */
export function endingOf(attempt: Attempt): {
  readonly attributes: Attributes;
  readonly error: string | undefined;
} {
  const { kind, source, provider, outcome } = attempt;
  const ms = Math.round(attempt.ms * 1000) / 1000;
  const error = attempt.fault ?? (attempt.isToolError ? 'tool.error' : undefined);
  return {
    error,
    attributes: {
      duration: ms,
      outcome,
      ...(source !== undefined && { source }),
      ...(provider !== undefined && { provider }),
      ...(kind === 'tool' && source !== undefined && { 'tool.source': source }),
      ...(kind === 'tool' && { 'tool.duration_ms': ms }),
      ...(error !== undefined && { error: true, 'error.code': error }),
    },
  };
}
