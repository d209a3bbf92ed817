import { depthOf, hasDuplicateKeys, JsonText, type Member, membersOf, memberOf } from './json-text.js';

/** A JSON-RPC id in its source text, so that integers beyond 2^53 and odd strings come back as they were sent. */
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

/** Deeper messages are refused: nothing honest nests like that, and weaker readers behind us would fall over. */
export const maxDepth = 1000;

/** Reads one message. Never throws: what is not the protocol comes back as `bad`, with the id where there is one. */
export function readFrame(text: string): Frame {
  // Before parsing, which takes seconds for millions of levels. A shorter text cannot nest that deeply.
  if (text.length > 2 * maxDepth && depthOf(text, maxDepth) > maxDepth) {
    return bad(undefined, -32700, `Parse error: nested deeper than ${String(maxDepth)} levels`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return bad(undefined, -32700, 'Parse error: the message is not valid JSON');
  }
  if (Array.isArray(value)) return bad(undefined, -32600, 'Invalid request: batches are not supported');
  if (typeof value !== 'object' || value === null) {
    return bad(undefined, -32600, 'Invalid request: a message is a JSON object');
  }
  return frameOf(text, value as Readonly<Record<string, unknown>>);
}

function frameOf(text: string, value: Readonly<Record<string, unknown>>): Frame {
  const members = membersOf(text);
  const id = readId(text, members, value);
  if (id === null) return bad(undefined, -32600, 'Invalid request: an id is a string or an integer');
  if (hasDuplicateKeys(members))
    return bad(soleId(members, id), -32600, 'Invalid request: a member stands twice');
  if (value['jsonrpc'] !== '2.0') return bad(id, -32600, 'Invalid request: jsonrpc must be "2.0"');
  if (value['method'] === undefined) return responseOf(text, members, value, id);
  if (typeof value['method'] !== 'string') return bad(id, -32600, 'Invalid request: method is a string');
  const params = value['params'];
  if (params !== undefined && !isObject(params)) {
    return bad(id, -32600, 'Invalid request: params is an object');
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
  if (error !== undefined && isObject(error.value)) return { kind: 'error', id, error };
  if (result !== undefined && id !== undefined) return { kind: 'result', id, result };
  return bad(id, -32600, 'Invalid request: neither a request nor a response');
}

/** The id as written; undefined when there is none, null when it is of no legal kind. */
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
  // Only an error may say that it does not know what it answers.
  const isOrphanError = value['id'] === null && 'error' in value && value['method'] === undefined;
  return isOrphanError ? undefined : null;
}

/** With two ids nobody knows which one is meant. */
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

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bad(id: RawId | undefined, code: -32700 | -32600, reason: string): Frame {
  return { kind: 'bad', id, code, reason };
}

/** The key under which an id is remembered: equal for equal ids, however a string was escaped. */
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
