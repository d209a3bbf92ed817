import { isRecord } from './is-record.js';
import { createParseBudget } from './json-rpc.js';
import { duplicateKey } from './json-scan.js';
import { nearest } from './nearest.js';

type JsonObject = Readonly<Record<string, unknown>>;
type Aliases = Readonly<Record<string, readonly string[]>>;

/** What the arguments should look like. */
export interface Expected {
  readonly inputSchema: JsonObject;
  /** Other spellings of each argument. */
  readonly aliases: Aliases;
}

export interface Decoded {
  readonly input: unknown;
  /** One phrase per unknown argument, such as `"glbo" (did you mean "glob"?)`. */
  readonly unknown: readonly string[];
}

const mostReported = 8;
const mostCounted = 1000;
/** Names come from the caller, so reports cut them at this length. */
const longestName = 100;

/**
 * Fixes common mistakes in arguments without changing anything that the schema accepts: renames aliases, parses JSON
 * strings where the schema wants another type, treats `null` as absent, fixes the case of enum values, and drops and
 * reports unknown arguments. Those in `dropped` are not reported.
 */
export function decodeArguments(
  given: unknown,
  { inputSchema, aliases }: Expected,
  dropped: ReadonlySet<string>,
): Decoded {
  const reading: Reading = { unknown: new UnknownArguments(aliases, dropped), mayParse: createParseBudget() };
  const read = readText(given ?? {}, 'object', reading);
  if (!isRecord(read)) return { input: read, unknown: [] };
  const input = decodeObject(renamed(read, aliases, reading.unknown), inputSchema, reading, '');
  return { input, unknown: reading.unknown.phrases() };
}

interface Reading {
  readonly unknown: UnknownArguments;
  /** Whether one more JSON string fits the parsing budget. */
  readonly mayParse: (text: string) => boolean;
}

interface Found {
  readonly at: string;
  readonly known: readonly string[];
  /** The spelling of this argument whose value is used. */
  readonly twin?: string;
}

/** Collects unknown names, with a limit: a call may contain hundreds of thousands. */
class UnknownArguments {
  readonly #found: Found[] = [];
  readonly #aliases: Aliases;
  readonly #dropped: ReadonlySet<string>;
  #count = 0;

  constructor(aliases: Aliases, dropped: ReadonlySet<string>) {
    this.#aliases = aliases;
    this.#dropped = dropped;
  }

  /** False when the limit is reached. */
  add(at: string, name: string, properties: object): boolean {
    if (at === '' && this.#dropped.has(name)) return true;
    this.#count += 1;
    if (this.#found.length < mostReported)
      this.#found.push({ at: `${at}${name}`, known: Object.keys(properties) });
    return this.#count < mostCounted;
  }

  addTwin(name: string, twin: string): void {
    this.#count += 1;
    if (this.#found.length < mostReported) this.#found.push({ at: name, known: [], twin });
  }

  phrases(): readonly string[] {
    const phrases = this.#found.map(({ at, known, twin }) => {
      if (twin !== undefined) return `${JSON.stringify(at)} (${JSON.stringify(twin)} is also given)`;
      const name = at.slice(at.lastIndexOf('.') + 1);
      const near = nearest(name, [...known, ...Object.values(this.#aliases).flat()]);
      const proper = Object.entries(this.#aliases).find(([, spellings]) => spellings.includes(near ?? ''));
      const guess = near === undefined ? '' : ` (did you mean "${proper?.[0] ?? near}"?)`;
      return `${JSON.stringify(at.slice(0, longestName))}${guess}`;
    });
    const more = this.#count - phrases.length;
    const count = `${String(more)} ${this.#count < mostCounted ? 'more' : 'or more others'}`;
    return more > 0 ? [...phrases, count] : phrases;
  }
}

function renamed(given: JsonObject, aliases: Aliases, unknown: UnknownArguments): JsonObject {
  const used = Object.entries(aliases).flatMap(([name, spellings]) =>
    spellings
      .filter((spelling) => Object.hasOwn(given, spelling))
      .map((spelling) => [spelling, name] as const),
  );
  if (used.length === 0) return given;
  const result = new Map(Object.entries(given));
  const winners = new Map<string, string>();
  for (const [spelling, name] of used) {
    const value = given[spelling];
    result.delete(spelling);
    if (value === null) continue;
    // The proper name wins; among aliases, the first that the tool lists.
    const held = result.get(name) ?? null;
    if (held === null) {
      result.set(name, value);
      winners.set(name, spelling);
    } else if (!isSame(held, value)) unknown.addTwin(spelling, winners.get(name) ?? name);
  }
  return Object.fromEntries(result);
}

/** Unsure models send the same value under two names. Dropping one of them loses nothing. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function decode(value: unknown, schema: JsonObject, reading: Reading, at: string): unknown {
  const types = typesOf(schema);
  const read = typeof value === 'string' ? fromText(value, types, reading) : value;
  if (typeof read === 'string') return inEnum(read, schema);
  if (Array.isArray(read)) return decodeItems(read, schema, reading, at);
  return isRecord(read) ? decodeObject(read, schema, reading, `${at}.`) : read;
}

function decodeItems(
  values: readonly unknown[],
  { items }: JsonObject,
  reading: Reading,
  at: string,
): readonly unknown[] {
  if (!isRecord(items)) return values;
  return values.map((value, index) => decode(value, items, reading, `${at}[${String(index)}]`));
}

function decodeObject(given: JsonObject, schema: JsonObject, reading: Reading, at: string): JsonObject {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const result: [string, unknown][] = [];
  for (const [name, field] of Object.entries(properties)) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name];
    if (value !== null || required.includes(name))
      result.push([name, decode(value, field, reading, `${at}${name}`)]);
  }
  const isClosed = takesNoOthers(schema, properties);
  for (const name in given) {
    if (Object.hasOwn(properties, name)) continue;
    if (!isClosed) result.push([name, given[name]]);
    else if (given[name] !== null && !reading.unknown.add(at, name, properties)) break;
  }
  // Not an assignment, so that `__proto__` is an ordinary name.
  return Object.fromEntries(result);
}

/** Schema libraries strip unknown keys of nested objects even if the schema does not say so. */
function takesNoOthers(schema: JsonObject, properties: object): boolean {
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined) return additionalProperties === false;
  const others = ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', 'if'];
  return Object.keys(properties).length > 0 && !others.some((keyword) => keyword in schema);
}

/** The JSON types that the schema states directly. */
function typesOf(schema: JsonObject): ReadonlySet<unknown> {
  const { type, anyOf, oneOf } = schema;
  const own: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const parts = [anyOf, oneOf].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  return new Set([...own, ...parts.flatMap((part) => (isRecord(part) ? [...typesOf(part)] : []))]);
}

const integerText = /^-?(?:0|[1-9]\d*)$/;
const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Keeps a string where the schema allows one; otherwise parses it as JSON if the result fits. */
function fromText(text: string, types: ReadonlySet<unknown>, reading: Reading): unknown {
  if (types.size === 0 || types.has('string')) return text;
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('integer') && integerText.test(text) && Number.isSafeInteger(Number(text)))
    return Number(text);
  if (types.has('number') && numberText.test(text) && Number.isFinite(Number(text))) return Number(text);
  for (const type of ['array', 'object'] as const) {
    if (!types.has(type)) continue;
    const read = readText(text, type, reading);
    if (read !== text) return read;
  }
  return text;
}

function readText(value: unknown, wanted: 'array' | 'object', { mayParse }: Reading): unknown {
  if (typeof value !== 'string' || !mayParse(value)) return value;
  try {
    const read: unknown = JSON.parse(value);
    const fits = wanted === 'array' ? Array.isArray(read) : isRecord(read);
    return fits && duplicateKey(value) === undefined ? read : value;
  } catch {
    // Not JSON: schema validation will report it.
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

/** The fields of an object schema. */
export function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const { properties } = schema;
  // The values of `properties` are schemas; no library we know of emits `true` or `false`.
  return typeof properties === 'object' && properties !== null
    ? (properties as Readonly<Record<string, JsonObject>>)
    : {};
}
