import { createFault, type Outcome, type Provider } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import type { Redactor } from '../../ports/log.js';

/**
 * Removes the operator's secrets from the errors of an MCP server that runs as a plugin. Error messages often repeat
 * configured values; normal results are not changed.
 */
export function withSafeErrors(provider: Provider, withoutSecrets: Redactor): Provider {
  return {
    ...provider,
    call: async (call, exchange) => safeOutcome(await provider.call(call, exchange), withoutSecrets),
  };
}

function safeOutcome(outcome: Outcome, redact: Redactor): Outcome {
  if (outcome.kind === 'fault') {
    const { code, message, upstream, ...more } = outcome.fault;
    const safe = upstream && { upstream: safeText(upstream, redact) };
    return { kind: 'fault', fault: createFault(code, redact(message), { ...more, ...safe }) };
  }
  return outcome.kind === 'content' && isError(outcome.result)
    ? { kind: 'content', result: safeText(outcome.result, redact) }
    : outcome;
}

/** Parses a large result only if it may contain `isError`. */
function isError(json: JsonText): boolean {
  if (!json.text.includes('"isError"') && !json.text.includes('\\u')) return false;
  const { value } = json;
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true;
}

/** Redacts values only, because a secret may equal a member name. Returns the same object if nothing changed. */
function safeText(json: JsonText, redact: Redactor): JsonText {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clean(inner)]));
  };
  const safe = JSON.stringify(clean(json.value));
  return safe === JSON.stringify(json.value) ? json : new JsonText(safe);
}
