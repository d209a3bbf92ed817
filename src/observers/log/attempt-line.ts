import { type Attempt, isToolError, principalKey, type Wanted, wantedName } from '../../core/index.js';
import type { JsonText } from '../../lib/json-text.js';

const messages = {
  tool: 'tool.call',
  prompt: 'prompt.get',
  resource: 'resource.read',
  completion: 'completion.complete',
} as const satisfies Record<Wanted['kind'], string>;

export function attemptLevel({ outcome }: Attempt): 'info' | 'warn' {
  return outcome.kind === 'fault' ? 'warn' : 'info';
}

export function attemptMessage({ request }: Attempt): string {
  return messages[request.wanted.kind];
}

/** The log fields of one attempt. Text that did not come from the gateway goes through `redact`. */
export function attemptFields(
  attempt: Attempt,
  redact: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const { request, call, outcome, ms } = attempt;
  const { session, client, wanted, trace, via } = request;
  const clientName = clientNameOf(client.info);
  return {
    request: request.id,
    session: redact(session.id),
    principal: redact(principalKey(session.principal)),
    kind: wanted.kind,
    name: redact(wantedName(wanted)),
    via,
    source: call && redact(call.target.spec.source),
    provider: call && redact(call.providerId),
    client: clientName && redact(clientName),
    protocol: client.protocol,
    ms: Math.round(ms * 1000) / 1000,
    outcome: outcome.kind,
    fault: outcome.kind === 'fault' ? outcome.fault.code : undefined,
    isError: isToolError(attempt) ? true : undefined,
    trace: trace && traceId(trace.traceparent),
    detail: outcome.kind === 'fault' && outcome.fault.detail ? redact(outcome.fault.detail) : undefined,
  };
}

function clientNameOf(info: JsonText | undefined): string | undefined {
  const value = info?.value;
  if (typeof value !== 'object' || value === null || !('name' in value)) return undefined;
  return typeof value.name === 'string' ? value.name : undefined;
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

function traceId(text: string): string | undefined {
  return traceparent.exec(text)?.[1];
}
