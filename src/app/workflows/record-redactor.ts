import { isSecretName, redactRecord } from '../../concerns/log/index.js';

const shortest = 6;
/** Of every shell. They end as passwords do, and are in every path. */
const folders: readonly string[] = ['PWD', 'OLDPWD'];
const redacted = '[redacted]';

/** Takes secrets out of what is kept of a run: by their shape, by their name, and those that were given to it by value. */
export function createRecordRedactor(
  inputs: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): (value: unknown) => unknown {
  const variables = Object.entries(env).filter(([name]) => !folders.includes(name));
  const secrets = [...Object.entries(inputs), ...variables]
    .filter(([name, value]) => isSecretName(name) && typeof value === 'string' && value.length >= shortest)
    .map(([, value]) => String(value))
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
