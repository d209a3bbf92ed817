import type { JsonObject } from './schema.js';
import { propertiesOf, type ToolCard } from './tool-card.js';

/**
 * Reads arguments as their sender meant them, and changes nothing that the schema would accept: other spellings are
 * renamed, JSON in a string is read where the schema wants something else, `null` counts as left out, the letter case
 * of enums is put right, and what the schema does not know (some agents add words of their own) is dropped.
 */
export function decodeArguments(given: unknown, { inputSchema, aliases }: ToolCard): unknown {
  const read = readText(given ?? {}, 'object');
  return isRecord(read) ? decodeObject(renamed(read, aliases), inputSchema) : read;
}

function renamed(given: JsonObject, aliases: ToolCard['aliases']): JsonObject {
  const properNames = new Map(
    Object.entries(aliases).flatMap(([name, spellings]) => spellings.map((spelling) => [spelling, name])),
  );
  const result = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given)) {
    const proper = properNames.get(name);
    if (proper === undefined) result.set(name, value);
    // The proper spelling wins, wherever it stands; among others the first.
    else if (!Object.hasOwn(given, proper) && !result.has(proper)) result.set(proper, value);
  }
  return Object.fromEntries(result);
}

function decode(value: unknown, schema: JsonObject): unknown {
  const types = typesOf(schema);
  const read = typeof value === 'string' ? fromText(value, types) : value;
  if (typeof read === 'string') return inEnum(read, schema);
  if (Array.isArray(read)) return decodeItems(read, schema);
  return isRecord(read) ? decodeObject(read, schema) : read;
}

function decodeItems(values: readonly unknown[], { items }: JsonObject): readonly unknown[] {
  return isRecord(items) ? values.map((value) => decode(value, items)) : values;
}

function decodeObject(given: JsonObject, schema: JsonObject): JsonObject {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const isClosed = schema['additionalProperties'] === false;
  const result: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined) {
      if (!isClosed) result.push([name, value]);
    } else if (value !== null || required.includes(name)) result.push([name, decode(value, field)]);
  }
  // Not an assignment: `__proto__` is a name like any other here.
  return Object.fromEntries(result);
}

/** Every JSON type that the schema admits, as far as it says so on its face. */
function typesOf(schema: JsonObject): ReadonlySet<unknown> {
  const { type, anyOf, oneOf } = schema;
  const own: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const parts = [anyOf, oneOf].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  return new Set([...own, ...parts.flatMap((part) => (isRecord(part) ? [...typesOf(part)] : []))]);
}

const integerText = /^-?(?:0|[1-9]\d*)$/;
const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A string stays one where a string may stand; elsewhere it is read as the JSON that it holds, if that fits. */
function fromText(text: string, types: ReadonlySet<unknown>): unknown {
  if (types.size === 0 || types.has('string')) return text;
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('integer') && integerText.test(text) && Number.isSafeInteger(Number(text)))
    return Number(text);
  if (types.has('number') && numberText.test(text) && Number.isFinite(Number(text))) return Number(text);
  for (const type of ['array', 'object'] as const) {
    if (!types.has(type)) continue;
    const read = readText(text, type);
    if (read !== text) return read;
  }
  return text;
}

function readText(value: unknown, wanted: 'array' | 'object'): unknown {
  if (typeof value !== 'string') return value;
  try {
    const read: unknown = JSON.parse(value);
    const fits = wanted === 'array' ? Array.isArray(read) : isRecord(read);
    return fits ? read : value;
  } catch {
    // Not JSON: the schema will say what is wrong with it.
    return value;
  }
}

function inEnum(text: string, schema: JsonObject): string {
  const { enum: allowed } = schema;
  if (!Array.isArray(allowed) || allowed.includes(text)) return text;
  const lower = text.toLowerCase();
  const words = allowed.filter((one) => typeof one === 'string');
  return words.find((one) => one.toLowerCase() === lower) ?? text;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
