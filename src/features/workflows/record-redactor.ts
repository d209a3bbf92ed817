import { isSecretName, redactRecord } from '../../observers/log/index.js';

const shortest = 6;
/** Set by every shell. Their names end like passwords, and their values occur in every path. */
const folders: readonly string[] = ['PWD', 'OLDPWD'];
const redacted = '[redacted]';

/** Removes secrets from the records of a run: by form, by name, and by the values given to the run. */
export function createRecordRedactor(
  inputs: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): (value: unknown) => unknown {
  const variables = Object.entries(env).filter(([name]) => !folders.includes(name));
  const secrets = [...Object.entries(inputs), ...variables]
    .filter(([name, value]) => isSecretInput(name, value))
    .flatMap(([, value]) => textsIn(value))
    .filter((text) => text.length >= shortest)
    .toSorted((a, b) => b.length - a.length);
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string')
      return secrets.reduce((text, secret) => text.replaceAll(secret, redacted), value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clean(inner)]));
  };
  return (value) => redactRecord(secrets.length === 0 ? value : clean(value));
}

/** Whether the name marks the value as secret. `tokens` is secret only as a list; as a number it is a count. */
export function isSecretInput(name: string, value: unknown): boolean {
  return isSecretName(name) || (Array.isArray(value) && isSecretName(name.replace(/s$/i, '')));
}

/** All texts of a value, also JSON-escaped, because lists are inserted as JSON. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  const inner = typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
  return [...new Set(inner.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
}
