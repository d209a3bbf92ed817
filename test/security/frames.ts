import { isDeepStrictEqual } from 'node:util';
import { envelope, type Message } from '../support/line-client.js';
import type { Random } from '../support/random.js';

/** What JSON-RPC owes to a piece of bytes, worked out without the program's own reader. */
export type Owed =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'error'; readonly codes: readonly number[]; readonly id?: unknown }
  | { readonly kind: 'answer'; readonly id: unknown };

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const depthLimit = 1000;

export function owedTo(bytes: Uint8Array): Owed {
  let text: string;
  let value: unknown;
  try {
    text = strict.decode(bytes);
    if (depthOf(text) > depthLimit) return { kind: 'error', codes: [-32700] };
    value = JSON.parse(text);
  } catch {
    return { kind: 'error', codes: [-32700] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'error', codes: [-32600] };
  }
  return owedToObject(value as Readonly<Record<string, unknown>>, text);
}

function owedToObject(value: Readonly<Record<string, unknown>>, text: string): Owed {
  const has = (key: string): boolean => Object.hasOwn(value, key);
  const { id, method, params, error } = value;
  const members = membersOf(text);
  const isWhole =
    typeof id === 'number' && /^-?\d+$/.test(members.findLast(([key]) => key === 'id')?.[1] ?? '');
  const isId = typeof id === 'string' || isWhole;
  const wrong: Owed = { kind: 'error', codes: [-32600], ...(isId && { id }) };
  const isLostError = id === null && has('error') && !has('method');
  if (has('id') && !isId && !isLostError) return { kind: 'error', codes: [-32600] };
  if (new Set(members.map(([key]) => key)).size < members.length) return wrong;
  if (value['jsonrpc'] !== '2.0') return wrong;
  if (!has('method')) {
    const isResponse = isRecord(error) || (isId && has('result'));
    return isResponse ? { kind: 'nothing' } : wrong;
  }
  if (typeof method !== 'string' || (has('params') && !isRecord(params))) return wrong;
  return isId ? { kind: 'answer', id } : { kind: 'nothing' };
}

/** Keys of an object in valid JSON, each with the first token of its value. */
function membersOf(text: string): readonly (readonly [key: string, first: string])[] {
  const members: [string, string][] = [];
  let depth = 0;
  let key: string | undefined;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gs)) {
    if (depth === 1 && token === ',') key = undefined;
    else if (depth === 1 && token !== ':' && token !== '}') {
      if (key === undefined) members.push([(key = JSON.parse(token) as string), '']);
      else members.push([members.pop()?.[0] ?? '', token]);
    }
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
  }
  return members;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, (depth += 1));
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

/** Whether a message is what is owed; the answer's own content is the server's affair. */
export function isOwed(owed: Owed, message: Message): boolean {
  if (owed.kind === 'nothing' || message.jsonrpc !== '2.0' || message.method !== undefined) return false;
  if (owed.kind === 'answer') {
    const isOne = (message.result === undefined) !== (message.error === undefined);
    return isOne && isDeepStrictEqual(message.id, owed.id);
  }
  const hasId = message.id === null || isDeepStrictEqual(message.id, owed.id);
  return hasId && message.error !== undefined && owed.codes.includes(message.error.code);
}

/** A message that real clients send, and the era that it belongs to. */
export interface RealMessage {
  readonly protocol: 'legacy' | 'modern';
  readonly method: string;
  readonly name?: string;
  readonly text: string;
}

/** One of each kind, every id new. The texts hold more than ASCII, so that flips hit all sorts of bytes. */
export function realMessages(tool: string, nextId: () => number): readonly RealMessage[] {
  const words = 'naïve “quotes” \u0000\u2028 日本語 👩‍👩‍👧 \\ "/" tab\t end';
  const legacy = (method: string, params?: unknown): RealMessage => ({
    protocol: 'legacy',
    method,
    text: JSON.stringify({ jsonrpc: '2.0', id: nextId(), method, params }),
  });
  const modern = (method: string, params: Readonly<Record<string, unknown>>, name?: string): RealMessage => ({
    protocol: 'modern',
    method,
    ...(name !== undefined && { name }),
    text: JSON.stringify({ jsonrpc: '2.0', id: nextId(), method, params: { ...params, _meta: envelope() } }),
  });
  const bare = (message: unknown): RealMessage => ({
    protocol: 'legacy',
    method: '',
    text: JSON.stringify({ jsonrpc: '2.0', ...(message as object) }),
  });
  return [
    legacy('ping'),
    legacy('tools/list', {}),
    legacy('tools/call', { name: tool, arguments: { mark: 'legacy', text: words } }),
    legacy('tools/call', { name: 'nobody', arguments: {}, _meta: { progressToken: 'p' } }),
    legacy('prompts/list', { cursor: 'none' }),
    legacy('resources/read', { uri: 'file:///nothing' }),
    legacy('resources/templates/list'),
    legacy('logging/setLevel', { level: 'error' }),
    legacy('completion/complete', {
      ref: { type: 'ref/prompt', name: 'x' },
      argument: { name: 'a', value: '' },
    }),
    bare({ method: 'notifications/initialized' }),
    bare({ method: 'notifications/cancelled', params: { requestId: 999_999, reason: words } }),
    bare({ id: 77, result: { action: 'accept', content: { mark: words } } }),
    bare({ id: 78, error: { code: -1, message: words } }),
    modern('server/discover', {}),
    modern('tools/list', {}),
    modern('tools/call', { name: tool, arguments: { mark: 'modern', text: words } }, tool),
  ];
}

const structural = Buffer.from('{}[]",:\\\n\r\0 -+.eE0123456789tfnu/');

/** Damages bytes one to four times. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let damaged = bytes;
  for (let round = 1 + random.below(4); round > 0; round -= 1)
    damaged = random.pick(mutations)(damaged, random);
  return damaged;
}

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const mutations: readonly Mutation[] = [
  (bytes, random) => changed(bytes, random, (byte) => byte ^ (1 << random.below(8))),
  (bytes, random) => changed(bytes, random, (byte) => byte ^ (1 << random.below(8))),
  (bytes, random) => changed(bytes, random, () => random.below(256)),
  (bytes, random) => changed(bytes, random, () => random.pick([...structural])),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => bytes.subarray(random.below(bytes.length + 1)),
  (bytes, random) => cut(bytes, random, (head, _middle, tail) => [head, tail]),
  (bytes, random) => cut(bytes, random, (head, middle, tail) => [head, middle, middle, tail]),
  (bytes, random) =>
    cut(bytes, random, (head, middle, tail) => [
      head,
      Buffer.from([random.pick([...structural])]),
      middle,
      tail,
    ]),
  (bytes, random) => cut(bytes, random, (head, middle, tail) => [tail, middle, head]),
];

function changed(bytes: Buffer, random: Random, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const at = random.below(copy.length);
  const byte = copy[at];
  if (byte !== undefined) copy[at] = change(byte);
  return copy;
}

function cut(
  bytes: Buffer,
  random: Random,
  join: (head: Buffer, middle: Buffer, tail: Buffer) => readonly Buffer[],
): Buffer {
  const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].sort((a, b) => a - b);
  return Buffer.concat(join(bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)));
}
