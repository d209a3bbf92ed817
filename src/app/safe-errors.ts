import { createFault, JsonText, type Outcome, type Provider, type Redactor } from '../kernel/index.js';

/**
 * An MCP server among the plugins, whose errors do not tell what the operator gave it. What it answers is its own; but
 * what it says of a failure is often what it was given.
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

/** A large result is read only if it can say so. */
function isError(json: JsonText): boolean {
  if (!json.text.includes('"isError"') && !json.text.includes('\\u')) return false;
  const { value } = json;
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true;
}

/** Its texts alone: a secret may be a word that is a name in every message too. Without one it stays as it came. */
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
