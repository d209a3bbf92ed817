export type Json = string | number | boolean | null | undefined | Date | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The value at a path, or undefined. Inherited properties do not count. */
export function valueAt(root: Json, path: readonly string[]): Json {
  let value = root;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function objectAt(root: Json, path: readonly string[]): JsonObject {
  const value = valueAt(root, path);
  return isJsonObject(value) ? value : {};
}

/** The same text for equal values, regardless of key order. */
export function canonical(value: Json): string {
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value instanceof Date) return `date ${String(value.getTime())}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
