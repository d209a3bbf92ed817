import { type FoundServer, isJsonObject, type Json } from '../../clients/index.js';

const sign = '***';
const records = ['env', 'environment', 'headers', 'http_headers'];

/** All values of variables and headers, and all that was found to be a secret. */
export function valuesToMask(servers: readonly FoundServer[], secrets: readonly string[]): readonly string[] {
  const values = servers.flatMap(({ entry }) => records.flatMap((key) => textsIn(entry[key])));
  return [...new Set([...values, ...secrets])].filter((value) => value !== '');
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isJsonObject(value)) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The text with none of the values, as JSON and TOML may write them. Short ones only where they are a whole text. */
export function masked(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), ...value.split('\n')]);
  const longest = [...new Set(forms)]
    .filter((form) => form.trim() !== '')
    .sort((a, b) => b.length - a.length);
  return longest.reduce((now, form) => {
    if (form.length >= 6) return now.replaceAll(form, sign);
    return now.replaceAll(`"${form}"`, `"${sign}"`).replaceAll(`'${form}'`, `'${sign}'`);
  }, text);
}
