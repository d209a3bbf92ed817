import { isRecord } from '../../lib/is-record.js';
import { type Client, type LogLevel, logLevels } from '../../core/index.js';
import { type JsonText, membersOf, memberOf, textOf, withMembers } from '../../lib/json-text.js';
import { keptCapabilities, keptInfo } from '../kept-client.js';

export const modernVersion = '2026-07-28';

export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

export type Envelope =
  | { readonly ok: true; readonly client: Client; readonly logLevel: LogLevel | undefined }
  | { readonly ok: false; readonly missing: string }
  | { readonly ok: false; readonly requested: string };

/** Whether a message has the envelope of a stateless client. */
export function hasEnvelope(params: JsonText | undefined): boolean {
  const meta = metaOf(params);
  return meta !== undefined && Object.hasOwn(meta, metaKeys.protocolVersion);
}

export function metaOf(params: JsonText | undefined): Readonly<Record<string, unknown>> | undefined {
  const value = params?.value as { readonly _meta?: unknown } | undefined;
  const meta = value?._meta;
  if (!isRecord(meta)) return undefined;
  return meta;
}

/** Parse what every stateless request says about its sender. */
export function readEnvelope(params: JsonText | undefined): Envelope {
  const meta = metaOf(params);
  const version = meta?.[metaKeys.protocolVersion];
  if (params === undefined || typeof version !== 'string')
    return { ok: false, missing: metaKeys.protocolVersion };
  if (version !== modernVersion) return { ok: false, requested: version };
  const metaText = textOf(params.text, membersOf(params.text), '_meta') ?? '{}';
  const members = membersOf(metaText);
  const capabilities = textOf(metaText, members, metaKeys.clientCapabilities);
  if (capabilities?.startsWith('{') !== true) return { ok: false, missing: metaKeys.clientCapabilities };
  const info = textOf(metaText, members, metaKeys.clientInfo);
  const level = meta?.[metaKeys.logLevel];
  return {
    ok: true,
    logLevel: logLevels.find((known) => known === level),
    client: {
      protocol: 'modern',
      protocolVersion: version,
      capabilities: keptCapabilities(capabilities),
      ...(info !== undefined && { info: keptInfo(info) }),
    },
  };
}

export interface ModernServer {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

const capabilities = JSON.stringify({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
});

/** Lists differ by caller, so they are private and expire quickly. */
const caching = '"ttlMs":1000,"cacheScope":"private"';

export function discoverResult(server: ModernServer, instructions: string | undefined): string {
  const words = instructions === undefined ? '' : `"instructions":${JSON.stringify(instructions)},`;
  return `{"resultType":"complete","supportedVersions":["${modernVersion}"],"capabilities":${capabilities},${words}${caching},${serverMeta(server)}}`;
}

export function listResult(
  member: string,
  items: string,
  cursor: string | undefined,
  server: ModernServer,
): string {
  const tail = cursor === undefined ? '' : `,"nextCursor":${JSON.stringify(cursor)}`;
  return `{"resultType":"complete","${member}":[${items}]${tail},${caching},${serverMeta(server)}}`;
}

/** Add the fields that 2026-07-28 requires of every result, where they are missing. */
export function completeResult(result: JsonText, isCacheable: boolean, server: ModernServer): string {
  const members = membersOf(result.text);
  const meta = textOf(result.text, members, '_meta');
  const missing = (key: string): boolean => memberOf(members, key) === undefined;
  return withMembers(result.text, {
    ...(missing('resultType') && { resultType: '"complete"' }),
    ...(isCacheable && missing('ttlMs') && { ttlMs: '0' }),
    ...(isCacheable && missing('cacheScope') && { cacheScope: '"private"' }),
    ...metaChange(meta, server),
  });
}

function metaChange(meta: string | undefined, server: ModernServer): Readonly<Record<string, string>> {
  const info = JSON.stringify(server);
  if (meta === undefined) return { _meta: `{"${metaKeys.serverInfo}":${info}}` };
  if (!meta.startsWith('{') || memberOf(membersOf(meta), metaKeys.serverInfo)) return {};
  return { _meta: withMembers(meta, { [metaKeys.serverInfo]: info }) };
}

export function inputRequiredResult(
  questions: JsonText,
  state: string | undefined,
  server: ModernServer,
): string {
  const asks = membersOf(questions.text).length === 0 ? '' : `"inputRequests":${questions.text},`;
  const tail = state === undefined ? '' : `"requestState":${JSON.stringify(state)},`;
  return `{"resultType":"input_required",${asks}${tail}${serverMeta(server)}}`;
}

function serverMeta(server: ModernServer): string {
  return `"_meta":{"${metaKeys.serverInfo}":${JSON.stringify(server)}}`;
}

/** Params with the subscription's id added to their `_meta`. */
export function taggedParams(params: string, subscriptionId: string): string {
  const meta = textOf(params, membersOf(params), '_meta');
  const base = meta?.startsWith('{') ? meta : '{}';
  return withMembers(params, { _meta: withMembers(base, { [metaKeys.subscriptionId]: subscriptionId }) });
}
