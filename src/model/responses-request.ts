import { asRecord } from '../lib/is-record.js';
import type { ReadRequest } from './format.js';
import { contentText, type JsonRecord, recordsOf, textOf } from './parts.js';
import type { AdvertisedTool, ToolResult } from './turn.js';

/** Reads an OpenAI Responses body: the conversation is a list of items, which may include tools. */
export function readResponses(body: unknown): ReadRequest {
  const { model, stream, tools, input, instructions } = asRecord(body);
  const items =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : recordsOf(input);
  const messages = items
    .filter(({ type, role }) => type === 'message' || (type === undefined && role !== undefined))
    .map(({ role, content }) => ({ role: String(role), text: contentText(content) }));
  return {
    model: textOf(model),
    isStreaming: stream === true,
    advertised: [...recordsOf(tools).flatMap((tool) => toolsOf(tool)), ...items.flatMap(toolsAmongItems)],
    turn: turnOf(items),
    results: resultsOf(items),
    instructions: [
      textOf(instructions),
      ...messages.filter(({ role }) => role === 'developer' || role === 'system').map(({ text }) => text),
    ]
      .filter((text) => text !== '')
      .join('\n'),
    messages,
  };
}

/** Some models get tools as items, and only the result of a search contains what it found. */
function toolsAmongItems({ type, tools }: JsonRecord): readonly AdvertisedTool[] {
  if (type === 'additional_tools') return recordsOf(tools).flatMap((tool) => toolsOf(tool));
  if (type !== 'tool_search_output') return [];
  return recordsOf(tools)
    .flatMap((tool) => toolsOf(tool))
    .map((tool) => ({ ...tool, isDeferred: true }));
}

function toolsOf(tool: JsonRecord, namespace?: string): readonly AdvertisedTool[] {
  const { type, name, description, tools } = tool;
  if (type === 'namespace') return recordsOf(tools).flatMap((one) => toolsOf(one, textOf(name)));
  const own: AdvertisedTool = {
    name: flatName(textOf(name) || textOf(type), namespace),
    kind: kindOf(type),
    isDeferred: tool['defer_loading'] === true,
  };
  return type === 'custom' && name === 'exec' ? [own, ...nestedIn(textOf(description))] : [own];
}

/** In code mode, the description of the code tool lists the tools. */
function nestedIn(description: string): readonly AdvertisedTool[] {
  return [...description.matchAll(/declare const tools: \{\s*([\w$]+)\(/g)].map(([, name = '']) => ({
    name: `exec>${name}`,
    kind: 'nested',
    isDeferred: false,
  }));
}

function kindOf(type: unknown): AdvertisedTool['kind'] {
  if (type === 'function' || type === 'custom' || type === 'tool_search' || type === 'local_shell')
    return type;
  return 'built-in';
}

function flatName(name: string, namespace?: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** Adjacent calls belong to one turn, even with reasoning items between them. */
function turnOf(items: readonly JsonRecord[]): number {
  const types = items.map(({ type }) => textOf(type)).filter((type) => type !== 'reasoning');
  return types.filter((type, at) => isCall(type) && !isCall(types[at - 1] ?? '')).length;
}

function isCall(type: string): boolean {
  return type.endsWith('_call');
}

function resultsOf(items: readonly JsonRecord[]): readonly ToolResult[] {
  const names = new Map(
    items
      .filter(({ type }) => isCall(textOf(type)))
      .map(({ type, call_id: id, name, namespace }) => [
        textOf(id),
        flatName(textOf(name) || textOf(type).replace(/_call$/, ''), textOf(namespace)),
      ]),
  );
  return items
    .filter(({ type }) => textOf(type).endsWith('_output'))
    .map(({ call_id: id, output, tools }) => ({
      callId: textOf(id),
      tool: names.get(textOf(id)) ?? '',
      text: output === undefined && tools !== undefined ? JSON.stringify(tools) : contentText(output),
    }));
}
