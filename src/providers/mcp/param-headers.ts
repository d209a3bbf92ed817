import type { Call, ToolSpec } from '../../core/index.js';
import { headerValue } from './header-value.js';
import { isRecord } from './peer.js';

/** A parameter that the server expects as a header. */
export interface ParamHeader {
  readonly header: string;
  readonly path: readonly string[];
}

export type ParamHeaders =
  | { readonly ok: true; readonly headers: readonly ParamHeader[] }
  | { readonly ok: false; readonly reason: string };

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ['string', 'integer', 'boolean'];
const maxNodes = 10_000;
const keyword = 'x-mcp-header';

/** Reads the `x-mcp-header` keywords of an input schema. A misplaced one makes the tool invalid. */
export function readParamHeaders(inputSchema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  let nodes = 0;

  function visit(schema: unknown, path: readonly string[] | undefined): string | undefined {
    nodes += 1;
    if (nodes > maxNodes) return 'the schema is too large to check';
    if (Array.isArray(schema)) return firstOf(schema, (part) => visit(part, undefined));
    if (!isRecord(schema)) return undefined;
    const wrong = keyword in schema ? take(schema, path) : undefined;
    return wrong ?? firstOf(Object.entries(schema), ([key, value]) => visitMember(key, value, path));
  }

  function visitMember(key: string, value: unknown, path: readonly string[] | undefined): string | undefined {
    if (key === 'properties' && isRecord(value)) {
      return firstOf(Object.entries(value), ([name, part]) => visit(part, path && [...path, name]));
    }
    // These are plain values, not schemas.
    if (key === 'default' || key === 'const' || key === 'enum' || key === 'examples') return undefined;
    return visit(value, undefined);
  }

  function take(
    schema: Readonly<Record<string, unknown>>,
    path: readonly string[] | undefined,
  ): string | undefined {
    const name = schema[keyword];
    if (path === undefined || path.length === 0) return `${keyword} is not on an argument`;
    if (typeof name !== 'string' || !token.test(name)) return `${keyword} is not a header name`;
    if (!types.includes(schema['type'])) return `${keyword} needs a string, an integer or a boolean`;
    if (names.has(name.toLowerCase())) return `${keyword} ${name} is duplicated`;
    names.add(name.toLowerCase());
    headers.push({ header: `Mcp-Param-${name}`, path });
    return undefined;
  }

  const reason = visit(inputSchema, []);
  return reason === undefined ? { ok: true, headers } : { ok: false, reason };
}

function firstOf<T>(list: readonly T[], check: (part: T) => string | undefined): string | undefined {
  for (const part of list) {
    const found = check(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The headers that a call needs for its tool, or undefined for none. */
export type ParamHeaderReader = (call: Call) => Readonly<Record<string, string>> | undefined;

export function createParamHeaderReader(): ParamHeaderReader {
  const bySpec = new WeakMap<ToolSpec, readonly ParamHeader[]>();
  return (call) => {
    if (call.target.kind !== 'tool') return undefined;
    const { spec } = call.target;
    const declared = bySpec.get(spec) ?? declaredBy(spec);
    bySpec.set(spec, declared);
    return declared.length === 0 ? undefined : headersOf(call, declared);
  };
}

function declaredBy(spec: ToolSpec): readonly ParamHeader[] {
  const definition = spec.definition.value;
  const read = readParamHeaders(isRecord(definition) ? definition['inputSchema'] : undefined);
  return read.ok ? read.headers : [];
}

function headersOf(call: Call, declared: readonly ParamHeader[]): Readonly<Record<string, string>> {
  const entries = declared.flatMap(({ header, path }) => {
    const value = plainValue(['arguments', ...path].reduce<unknown>(ownMember, call.params.value));
    return value === undefined ? [] : [[header, headerValue(value)] as const];
  });
  return Object.fromEntries(entries);
}

function ownMember(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function plainValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
