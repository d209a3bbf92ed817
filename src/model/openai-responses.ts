import { asRecord } from '../lib/is-record.js';
import type { ModelFormat, SpokenAnswer, SpokenCall } from './format.js';
import { cut, event, type JsonRecord, valueOf, words } from './parts.js';
import { readResponses } from './responses-request.js';
import type { ModelRequest } from './turn.js';

/** OpenAI Responses API. */
export const openaiResponses: ModelFormat = {
  name: 'openai-responses',
  isAt: (path) => path.endsWith('/responses'),
  idPrefix: 'call_',
  read: readResponses,
  whole: (answer, request) => JSON.stringify(responseOf(answer, request, itemsOf(answer, request))),
  events(answer, request) {
    const items = itemsOf(answer, request);
    const begun = { ...responseOf(answer, request, []), status: 'in_progress', usage: null };
    return [
      { type: 'response.created', response: begun },
      ...items.flatMap((item, at) => itemEvents(item, at, answer.pieces)),
      { type: 'response.completed', response: responseOf(answer, request, items) },
    ].map((value, at) => event({ ...value, sequence_number: at }, value.type));
  },
  fault: ({ message = 'scripted failure', code }) =>
    JSON.stringify({ error: { message, type: 'scripted', param: null, code: code ?? null } }),
};

type Typed = JsonRecord & { readonly type: string };
type Item = Typed & { readonly id: string };

function responseOf(
  { usage, finish }: SpokenAnswer,
  { model }: ModelRequest,
  output: readonly Item[],
): object {
  return {
    id: 'resp_scripted',
    object: 'response',
    created_at: 0,
    model,
    status: finish ?? 'completed',
    output,
    ...(usage !== 'none' && { usage: usageOf(usage) }),
  };
}

function usageOf({ input, output } = { input: 10, output: 5 }): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function itemsOf({ say, calls }: SpokenAnswer, request: ModelRequest): readonly Item[] {
  const text = { type: 'output_text', text: say, annotations: [] };
  const message = { type: 'message', role: 'assistant', status: 'completed', content: [text] };
  return [
    ...(say === undefined ? [] : [{ ...message, id: `msg_${String(request.messages.length)}` }]),
    ...calls.map((call) => ({ ...callItem(call, request), id: `item_${call.id}`, call_id: call.id })),
  ];
}

function callItem(call: SpokenCall, request: ModelRequest): Typed {
  const { text } = call;
  const status = 'completed';
  switch (call.kind) {
    case 'function':
      return { type: 'function_call', ...named(call.name), arguments: text, status };
    case 'custom':
      return { type: 'custom_tool_call', ...named(call.name), input: text, status };
    case 'nested':
      return { type: 'custom_tool_call', ...named(execOf(request)), input: codeFor(call), status };
    case 'tool_search':
      return { type: 'tool_search_call', execution: 'client', arguments: valueOf(text), status };
    case 'local_shell':
      return { type: 'local_shell_call', action: { type: 'exec', ...asRecord(valueOf(text)) }, status };
  }
}

/** A tool in a namespace must be called with the namespace. */
function named(flat: string): object {
  const at = flat.indexOf('/');
  return at < 0 ? { name: flat } : { name: flat.slice(at + 1), namespace: flat.slice(0, at) };
}

function execOf({ advertised }: ModelRequest): string {
  return advertised.find(({ name, kind }) => kind === 'custom' && /(^|\/)exec$/.test(name))?.name ?? 'exec';
}

/** Code that calls the tool and prints its result. */
function codeFor({ name, text }: SpokenCall): string {
  const given = typeof valueOf(text) === 'string' ? JSON.stringify(text) : text;
  return `text(await tools.${name.slice('exec>'.length)}(${given}));`;
}

/** Each item is announced, streamed in pieces and then sent whole. */
function itemEvents(item: Item, at: number, pieces?: number): readonly Typed[] {
  const place = { output_index: at, item_id: item.id };
  const streamed = piecesOf(item, pieces).map((piece) => ({ ...piece, ...place }));
  return [
    { type: 'response.output_item.added', output_index: at, item: begun(item) },
    ...streamed,
    { type: 'response.output_item.done', output_index: at, item },
  ];
}

function piecesOf(item: Item, pieces?: number): readonly Typed[] {
  const { arguments: given, input } = item;
  if (item.type === 'message') {
    return words(textIn(item)).map((delta) => ({
      type: 'response.output_text.delta',
      content_index: 0,
      delta,
    }));
  }
  const [text, type] =
    item.type === 'function_call' ? [given, 'function_call_arguments'] : [input, 'custom_tool_call_input'];
  if (typeof text !== 'string') return [];
  return cut(text, pieces).map((delta) => ({ type: `response.${type}.delta`, delta }));
}

function textIn({ content }: Item): string {
  return String(asRecord(Array.isArray(content) ? content[0] : undefined)['text']);
}

function begun(item: Item): object {
  return {
    ...item,
    status: 'in_progress',
    ...(item.type === 'message' && { content: [] }),
    ...(item.type === 'function_call' && { arguments: '' }),
    ...(item.type === 'custom_tool_call' && { input: '' }),
  };
}
