import {
  type Attempt,
  isToolError,
  principalKey,
  type Request,
  type Trace,
  wantedName,
} from '../../core/index.js';

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
export function openingOf(
  { id, session, client, wanted, via }: Request,
  redact: (text: string) => string,
): { readonly name: string; readonly attributes: Attributes } {
  const subject = redact(wantedName(wanted));
  const attributes = {
    [wanted.kind]: subject,
    ...(wanted.kind === 'tool' && { 'tool.name': subject }),
    'request.id': id,
    principal: redact(principalKey(session.principal)),
    session: redact(session.id),
    'client.protocol': client.protocol,
    ...(via !== undefined && { via }),
  };
  if (wanted.kind === 'tool') return { name: `tool.call.${subject}`, attributes };
  if (wanted.kind === 'prompt') return { name: `prompt.get.${subject}`, attributes };
  return { name: wanted.kind === 'resource' ? 'resource.read' : 'completion.complete', attributes };
}

/** What is known when it has ended. `error` is a short code, never text from the caller or a server. */
export function endingOf(attempt: Attempt): {
  readonly attributes: Attributes;
  readonly error: string | undefined;
} {
  const { call, outcome, ms } = attempt;
  const error = errorOf(attempt);
  return {
    error,
    attributes: {
      duration: Math.round(ms * 1000) / 1000,
      outcome: outcome.kind,
      ...(call && { source: call.target.spec.source, provider: call.providerId }),
      ...(call?.target.kind === 'tool' && { 'tool.source': call.target.spec.source }),
      ...(attempt.request.wanted.kind === 'tool' && { 'tool.duration_ms': Math.round(ms * 1000) / 1000 }),
      ...(error !== undefined && { error: true, 'error.code': error }),
    },
  };
}

function errorOf(attempt: Attempt): string | undefined {
  const { outcome } = attempt;
  if (outcome.kind === 'fault') return outcome.fault.code;
  return isToolError(attempt) ? 'tool.error' : undefined;
}
