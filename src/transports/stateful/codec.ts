import { isRecord } from '../../lib/is-record.js';
import type { Client } from '../../core/index.js';
import { emptyObject, type JsonText, membersOf, textOf, withMembers } from '../../lib/json-text.js';
import { keptCapabilities, keptInfo } from '../kept-client.js';

/** Newest first. The first is offered to a client that requests an unknown version. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export interface ServerIdentity {
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

/** Parse `initialize`: the client and the protocol version. */
export function readInitialize(params: JsonText | undefined): Client | undefined {
  if (params === undefined) return undefined;
  const members = membersOf(params.text);
  const asked = (params.value as { readonly protocolVersion?: unknown }).protocolVersion;
  if (typeof asked !== 'string') return undefined;
  const info = textOf(params.text, members, 'clientInfo');
  return {
    protocol: 'legacy',
    protocolVersion: legacyVersions.find((version) => version === asked) ?? legacyVersions[0],
    capabilities: objectText(textOf(params.text, members, 'capabilities')),
    ...(info !== undefined && { info: keptInfo(info) }),
  };
}

function objectText(text: string | undefined): JsonText {
  return text?.startsWith('{') ? keptCapabilities(text) : emptyObject;
}

export function initializeResult(
  client: Client,
  server: ServerIdentity,
  instructions: string | undefined,
): string {
  const head = `{"protocolVersion":"${client.protocolVersion}","capabilities":${capabilities}`;
  const tail = instructions === undefined ? '' : `,"instructions":${JSON.stringify(instructions)}`;
  return `${head},"serverInfo":${JSON.stringify(server)}${tail}}`;
}

export function listResult(member: string, items: string, cursor: string | undefined): string {
  const tail = cursor === undefined ? '' : `,"nextCursor":${JSON.stringify(cursor)}`;
  return `{"${member}":[${items}]${tail}}`;
}

/**
 * A definition for stateful clients: they reject a whole list for one output schema that is not an object.
 */
export function legacyDefinition(definition: JsonText): string {
  const { outputSchema } = definition.value as { readonly outputSchema?: unknown };
  if (outputSchema === undefined || isObjectSchema(outputSchema)) return definition.text;
  return withMembers(definition.text, { outputSchema: undefined });
}

function isObjectSchema(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'object';
}

/** A result for stateful clients: structured content that is not an object is sent only as text. */
export function legacyResult(result: JsonText): string {
  if (!result.text.includes('"structuredContent"')) return result.text;
  const { structuredContent, content } = result.value as {
    readonly structuredContent?: unknown;
    readonly content?: unknown;
  };
  if (structuredContent === undefined || isRecord(structuredContent)) return result.text;
  const hasText = Array.isArray(content) && content.length > 0;
  const structured = textOf(result.text, membersOf(result.text), 'structuredContent') ?? 'null';
  const asText = `[{"type":"text","text":${JSON.stringify(structured)}}]`;
  return withMembers(result.text, { structuredContent: undefined, ...(!hasText && { content: asText }) });
}
