import { isRecord } from '../lib/is-record.js';
import type { Client, Request, Resumption, Session, Trace, Wanted } from '../core/index.js';
import { duplicateKey } from '../lib/json-scan.js';
import { type JsonText, type Member, membersOf, textOf, JsonText as Json } from '../lib/json-text.js';
import type { ListKind } from '../gateway/index.js';

/** The methods that go through the pipeline, and the lists; the same in all protocol versions. */
export const listMethods: ReadonlyMap<string, { readonly kind: ListKind; readonly member: string }> = new Map(
  [
    ['tools/list', { kind: 'tools', member: 'tools' }],
    ['prompts/list', { kind: 'prompts', member: 'prompts' }],
    ['resources/list', { kind: 'resources', member: 'resources' }],
    ['resources/templates/list', { kind: 'templates', member: 'resourceTemplates' }],
  ],
);

export const callMethods = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'] as const;
export type CallMethod = (typeof callMethods)[number];

export function isCallMethod(method: string): method is CallMethod {
  return (callMethods as readonly string[]).includes(method);
}

type Value = Readonly<Record<string, unknown>>;

/** The target of a call, or a message that says what is missing. */
export function readWanted(method: CallMethod, params: JsonText): Wanted | string {
  const value = params.value as Value;
  const twin = duplicateKey(params.text, value);
  if (twin !== undefined) return `Invalid params: duplicate key ${JSON.stringify(twin.slice(0, 100))}`;
  const other = otherSpelling(params.members);
  if (other !== undefined) return `Invalid params: the exact spelling is ${other}`;
  if (hasLongToken(params))
    return `Invalid params: progressToken is longer than ${String(maxTokenLength)} characters`;
  if (method === 'resources/read') {
    return typeof value['uri'] === 'string' ? { kind: 'resource', uri: value['uri'] } : needs('uri');
  }
  if (method === 'completion/complete') return readCompletion(value['ref'] as Value | undefined);
  if (typeof value['name'] !== 'string') return needs('name');
  const { arguments: given } = value;
  if (given !== undefined && !isRecord(given)) {
    return 'Invalid params: arguments must be an object';
  }
  return { kind: method === 'tools/call' ? 'tool' : 'prompt', name: value['name'] };
}

/** A token is repeated in every progress message. */
const maxTokenLength = 1024;

function hasLongToken(params: JsonText): boolean {
  return (progressToken(params)?.length ?? 0) > maxTokenLength;
}

const protocolKeys = [
  'name',
  'uri',
  'arguments',
  'ref',
  'argument',
  '_meta',
  'requestState',
  'inputResponses',
] as const;
const byLowerCase = new Map<string, string>(protocolKeys.map((key) => [key.toLowerCase(), key]));

/**
 * Finds a key that differs only in case: some servers parse keys case-insensitively and would see another
 * value.
 */
function otherSpelling(members: readonly Member[]): string | undefined {
  for (const { key } of members) {
    const known = byLowerCase.get(key.toLowerCase());
    if (known !== undefined && known !== key) return JSON.stringify(known);
  }
  return undefined;
}

function readCompletion(ref: Value | undefined): Wanted | string {
  if (ref?.['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    return { kind: 'completion', of: { kind: 'prompt', name: ref['name'] } };
  }
  if (ref?.['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    return { kind: 'completion', of: { kind: 'template', uriTemplate: ref['uri'] } };
  }
  return 'Invalid params: ref must be {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…}';
}

function needs(member: string): string {
  return `Invalid params: ${member} must be a string`;
}

export interface Incoming {
  readonly id: string;
  readonly session: Session;
  readonly client: Client;
  readonly wanted: Wanted;
  readonly params: JsonText;
}

/** The request for the gateway, with the caller's trace and its answers, if any. */
export function buildRequest(incoming: Incoming, canResume: boolean): Request {
  const trace = readTrace(incoming.params);
  const resume = canResume ? readResumption(incoming.params) : undefined;
  if (trace === undefined && resume === undefined) return incoming;
  return { ...incoming, ...(trace && { trace }), ...(resume && { resume }) };
}

function readTrace(params: JsonText): Trace | undefined {
  const meta = (
    params.value as {
      readonly _meta?: { readonly traceparent?: unknown; readonly tracestate?: unknown } | null;
    }
  )._meta;
  if (
    typeof meta?.traceparent !== 'string' ||
    !/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(meta.traceparent)
  ) {
    return undefined;
  }
  const { traceparent, tracestate } = meta;
  return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
}

function readResumption(params: JsonText): Resumption | undefined {
  const value = params.value as Value;
  if (value['inputResponses'] === undefined && value['requestState'] === undefined) return undefined;
  const text = textOf(params.text, params.members, 'inputResponses');
  const responses = new Json(text?.startsWith('{') ? text : '{}');
  return typeof value['requestState'] === 'string'
    ? { responses, state: value['requestState'] }
    : { responses };
}

/** The caller's progress token as written, if any. */
export function progressToken(params: JsonText): string | undefined {
  const meta = (params.value as { readonly _meta?: { readonly progressToken?: unknown } | null })._meta;
  const kind = typeof meta?.progressToken;
  if (kind !== 'string' && kind !== 'number') return undefined;
  const metaText = textOf(params.text, params.members, '_meta') ?? '{}';
  return textOf(metaText, membersOf(metaText), 'progressToken');
}
