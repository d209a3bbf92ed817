import type { LocatedPlugin } from '../../config/plugins/index.js';
import type { Redactor } from '../../ports/log.js';

/** Shorter values are not redacted, because they also occur as ordinary words. */
const shortest = 6;
const redacted = '[redacted]';

/** All values the operator gave to a plugin: settings, variables and headers. */
export function secretsOf({
  config,
  env,
  start,
}: Pick<LocatedPlugin, 'config' | 'env' | 'start'>): readonly string[] {
  return [config, env, start?.kind === 'url' ? start.headers : {}].flatMap(textsIn);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Removes whole values, also JSON-escaped, URL-encoded and line by line. Longest first. */
export function createSecretsRedactor(values: readonly string[]): Redactor {
  const forms = values.flatMap((value) => [value, value.trim(), ...value.split(/\r?\n/)]);
  const written = forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1), inUrl(form)]);
  const secrets = [...new Set(written)]
    .filter((secret) => secret.length >= shortest)
    .sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return (text) => text;
  const any = new RegExp(
    secrets.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
    'g',
  );
  return (text) => text.replace(any, redacted);
}

function inUrl(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A lone surrogate cannot occur in a URL.
    return text;
  }
}

/** Redacts every text in the fields of a log line. */
export function redactEach(
  fields: Readonly<Record<string, unknown>> | undefined,
  redact: Redactor,
): Readonly<Record<string, unknown>> {
  const safe = (value: unknown): unknown =>
    typeof value === 'string' ? redact(value) : Array.isArray(value) ? value.map(safe) : value;
  return Object.fromEntries(Object.entries(fields ?? {}).map(([key, value]) => [key, safe(value)]));
}
