import { isRecord } from './is-record.js';
import { type Measure, measureOf } from './json-scan.js';
import { hasDuplicateKeys, JsonText, type Member, membersOf, memberOf } from './json-text.js';

/** A JSON-RPC id as source text, so that integers beyond 2^53 and unusual strings are returned unchanged. */
export type RawId = string;

export type Frame =
  | { readonly kind: 'request'; readonly id: RawId; readonly method: string; readonly params?: JsonText }
  | { readonly kind: 'notification'; readonly method: string; readonly params?: JsonText }
  | { readonly kind: 'result'; readonly id: RawId; readonly result: JsonText }
  | { readonly kind: 'error'; readonly id: RawId | undefined; readonly error: JsonText }
  | {
      readonly kind: 'bad';
      readonly id: RawId | undefined;
      readonly code: -32700 | -32600;
      readonly reason: string;
    };

/** Deeper messages are refused: no real client sends them, and weaker parsers behind us could crash. */
export const maxDepth = 1000;

/**
 * Limits for one client message. V8 needs seconds to parse an object with 700,000 keys and a minute for five million
 * empty objects, and blocks everything else meanwhile.
 */
export const clientBounds: Measure = { depth: maxDepth, keys: 100_000, values: 200_000 };
/** Higher, because servers list thousands of tools with repeating keys in one message. */
const serverBounds: Measure = { depth: maxDepth, keys: 1_000_000, values: 1_000_000 };

/** Whether JSON inside a message or file is small enough to parse without blocking other calls. */
export function isParsable(text: string): boolean {
  return excessOf(text, clientBounds) === undefined;
}

/** Why a client's JSON is not parsed, such as `has more than 200000 values`. */
export function excessIn(text: string): string | undefined {
  const excess = excessOf(text, clientBounds);
  return excess && describeExcess(excess, clientBounds);
}

/** The same for several texts of one call: together they share the limits of one message. */
export function createParseBudget(): (text: string) => boolean {
  let left = clientBounds;
  return (text) => {
    const { depth, keys, values } = measureOf(text, left);
    if (depth > left.depth || keys > left.keys || values > left.values) return false;
    left = { depth: left.depth, keys: left.keys - keys, values: left.values - values };
    return true;
  };
}

function excessOf(text: string, bounds: Measure): keyof Measure | undefined {
  // A shorter text cannot exceed the limits.
  if (text.length <= Math.min(2 * bounds.depth, bounds.values)) return undefined;
  const measure = measureOf(text, bounds);
  if (measure.depth > bounds.depth) return 'depth';
  if (measure.keys > bounds.keys) return 'keys';
  return measure.values > bounds.values ? 'values' : undefined;
}

function describeExcess(excess: keyof Measure, bounds: Measure): string {
  const limit = String(bounds[excess]);
  if (excess === 'depth') return `is nested deeper than ${limit} levels`;
  return `has more than ${limit} ${excess === 'keys' ? 'object keys' : 'values'}`;
}

/** Parses one message. Never throws: invalid messages are returned as `bad`, with the id if there is one. */
export function readFrame(text: string, bounds = serverBounds): Frame {
  // Check before parsing, because parsing is the slow part.
  const excess = excessOf(text, bounds);
  if (excess === 'depth') {
    return bad(undefined, -32700, `Parse error: nested deeper than ${String(maxDepth)} levels`);
  }
  if (excess !== undefined) {
    const reason = `Invalid request: the message ${describeExcess(excess, bounds)}. Send less at once.`;
    return bad(unparsedId(text), -32600, reason);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return bad(undefined, -32700, 'Parse error: the message is not valid JSON');
  }
  if (Array.isArray(value)) return bad(undefined, -32600, 'Invalid request: batches are not supported');
  if (typeof value !== 'object' || value === null) {
    return bad(undefined, -32600, 'Invalid request: a message must be a JSON object');
  }
  return frameOf(text, value as Readonly<Record<string, unknown>>);
}

function frameOf(text: string, value: Readonly<Record<string, unknown>>): Frame {
  const members = membersOf(text);
  const id = readId(text, members, value);
  if (id === null) return bad(undefined, -32600, 'Invalid request: id must be a string or an integer');
  if (hasDuplicateKeys(members)) return bad(soleId(members, id), -32600, 'Invalid request: duplicate key');
  if (value['jsonrpc'] !== '2.0') return bad(id, -32600, 'Invalid request: jsonrpc must be "2.0"');
  if (value['method'] === undefined) return responseOf(text, members, value, id);
  if (typeof value['method'] !== 'string') return bad(id, -32600, 'Invalid request: method must be a string');
  const params = value['params'];
  if (params !== undefined && !isRecord(params)) {
    return bad(id, -32600, 'Invalid request: params must be an object');
  }
  const json = jsonMember(text, members, value, 'params');
  const more = json === undefined ? {} : { params: json };
  if (id === undefined) return { kind: 'notification', method: value['method'], ...more };
  return { kind: 'request', id, method: value['method'], ...more };
}

function responseOf(
  text: string,
  members: readonly Member[],
  value: Readonly<Record<string, unknown>>,
  id: RawId | undefined,
): Frame {
  const error = jsonMember(text, members, value, 'error');
  const result = jsonMember(text, members, value, 'result');
  if (error !== undefined && isRecord(error.value)) return { kind: 'error', id, error };
  if (result !== undefined && id !== undefined) return { kind: 'result', id, result };
  return bad(id, -32600, 'Invalid request: neither a request nor a response');
}

/** The id as written; undefined if absent, null if of an invalid type. */
function readId(
  text: string,
  members: readonly Member[],
  value: Readonly<Record<string, unknown>>,
): RawId | undefined | null {
  const member = memberOf(members, 'id');
  if (member === undefined) return undefined;
  const raw = text.slice(member.start, member.end);
  if (typeof value['id'] === 'string') return raw;
  if (typeof value['id'] === 'number') return /^-?\d+$/.test(raw) ? raw : null;
  // Only an error response may have a null id.
  const isOrphanError = value['id'] === null && 'error' in value && value['method'] === undefined;
  return isOrphanError ? undefined : null;
}

/** Finds the id of a message too large to parse, so that its sender still gets a response. */
function unparsedId(text: string): RawId | undefined {
  const found = membersOf(text).filter(({ key }) => key === 'id');
  const raw = found[0] === undefined ? '' : text.slice(found[0].start, found[0].end);
  return found.length === 1 && /^(?:-?\d+|"[^"\\]{0,200}")$/.test(raw) ? raw : undefined;
}

/** With two ids it is unclear which one to answer. */
function soleId(members: readonly Member[], id: RawId | undefined): RawId | undefined {
  return members.filter(({ key }) => key === 'id').length === 1 ? id : undefined;
}

function jsonMember(
  text: string,
  members: readonly Member[],
  value: Readonly<Record<string, unknown>>,
  key: string,
): JsonText | undefined {
  const member = memberOf(members, key);
  return member && JsonText.known(text.slice(member.start, member.end), value[key]);
}

function bad(id: RawId | undefined, code: -32700 | -32600, reason: string): Frame {
  return { kind: 'bad', id, code, reason };
}

/** Map key for an id: equal ids give equal keys, however a string was escaped. */
export function idKey(id: RawId): string {
  return id.includes('\\') ? JSON.stringify(JSON.parse(id)) : id;
}

export function requestText(id: RawId | number, method: string, params?: string): string {
  const tail = params === undefined ? '}' : `,"params":${params}}`;
  return `{"jsonrpc":"2.0","id":${String(id)},"method":${JSON.stringify(method)}${tail}`;
}

export function notificationText(method: string, params?: string): string {
  const tail = params === undefined ? '}' : `,"params":${params}}`;
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${tail}`;
}

export function resultText(id: RawId | number, result: string): string {
  return `{"jsonrpc":"2.0","id":${String(id)},"result":${result}}`;
}

export function errorText(id: RawId | number | undefined, error: string): string {
  return `{"jsonrpc":"2.0","id":${id === undefined ? 'null' : String(id)},"error":${error}}`;
}
