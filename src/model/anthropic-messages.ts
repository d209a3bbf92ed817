import { asRecord } from '../lib/is-record.js';
import type { ModelFormat, SpokenAnswer, SpokenCall } from './format.js';
import {
  contentText,
  cut,
  event,
  type JsonRecord,
  listOf,
  recordsOf,
  textOf,
  valueOf,
  words,
} from './parts.js';
import type { ModelRequest, ToolResult } from './turn.js';

/** Anthropic Messages API. */
export const anthropicMessages: ModelFormat = {
  name: 'anthropic-messages',
  isAt: (path) => path.endsWith('/v1/messages'),
  counting: { isAt: (path) => path.endsWith('/v1/messages/count_tokens'), answer: { input_tokens: 10 } },
  idPrefix: 'toolu_',
  read(body) {
    const { model, stream, tools, messages, system } = asRecord(body);
    const history = recordsOf(messages);
    return {
      model: textOf(model),
      isStreaming: stream === true,
      advertised: recordsOf(tools).map((tool) => ({
        name: textOf(tool['name']),
        // Tools that the provider runs have a type but no schema.
        kind: 'input_schema' in tool ? 'function' : 'built-in',
        isDeferred: tool['defer_loading'] === true,
      })),
      turn: history.filter(
        (message) => message['role'] === 'assistant' && blocksOf(message, 'tool_use').length > 0,
      ).length,
      results: resultsOf(history),
      instructions: contentText(system),
      messages: history.map(({ role, content }) => ({ role: String(role), text: contentText(content) })),
    };
  },
  whole: (answer, request) =>
    JSON.stringify({
      ...messageHead(request, answer),
      content: [
        ...(answer.say === undefined ? [] : [{ type: 'text', text: answer.say }]),
        ...answer.calls.map((call) => ({ ...callHead(call), input: valueOf(call.text) })),
      ],
      stop_reason: stopOf(answer),
    }),
  events(answer, request) {
    const stop = { stop_reason: stopOf(answer), stop_sequence: null };
    return [
      { type: 'message_start', message: messageHead(request, answer) },
      ...blockEvents(answer),
      { type: 'message_delta', delta: stop, ...outputUsage(answer) },
      { type: 'message_stop' },
    ].map((value) => event(value, value.type));
  },
  fault: ({ message = 'scripted failure', code, status }) =>
    JSON.stringify({ type: 'error', error: { type: code ?? errorType(status), message } }),
};

function blocksOf({ content }: JsonRecord, type: string): readonly JsonRecord[] {
  return recordsOf(content).filter((block) => block['type'] === type);
}

function resultsOf(history: readonly JsonRecord[]): readonly ToolResult[] {
  const names = new Map(
    history
      .flatMap((message) => blocksOf(message, 'tool_use'))
      .map(({ id, name }) => [textOf(id), textOf(name)]),
  );
  return history
    .flatMap((message) => blocksOf(message, 'tool_result'))
    .map(({ tool_use_id: id, content, is_error: isError }) => ({
      callId: textOf(id),
      tool: names.get(textOf(id)) ?? '',
      // A search returns references without text.
      text: contentText(content) || (listOf(content).length > 0 ? JSON.stringify(content) : ''),
      isError: isError === true,
    }));
}

function messageHead(
  { model, messages }: ModelRequest,
  { usage = { input: 10, output: 5 } }: SpokenAnswer,
): object {
  return {
    // Clients treat two messages with the same id as one.
    id: `msg_${String(messages.length)}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(usage !== 'none' && {
      usage: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    }),
  };
}

function outputUsage({ usage = { input: 10, output: 5 } }: SpokenAnswer): object {
  return usage === 'none' ? {} : { usage: { output_tokens: usage.output } };
}

function stopOf({ finish, calls }: SpokenAnswer): string {
  return finish ?? (calls.length === 0 ? 'end_turn' : 'tool_use');
}

function callHead({ id, name }: SpokenCall): object {
  return { type: 'tool_use', id, name, input: {} };
}

type BlockEvent = { readonly type: string; readonly index: number };

function blockEvents({ say, calls, pieces }: SpokenAnswer): readonly BlockEvent[] {
  const text =
    say === undefined
      ? []
      : [
          {
            head: { type: 'text', text: '' },
            deltas: words(say).map((word) => ({ type: 'text_delta', text: word })),
          },
        ];
  const uses = calls.map((call) => ({
    head: callHead(call),
    deltas: cut(call.text, pieces).map((part) => ({ type: 'input_json_delta', partial_json: part })),
  }));
  return [...text, ...uses].flatMap(({ head, deltas }, index) => [
    { type: 'content_block_start', index, content_block: head },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
}

function errorType(status?: number): string {
  const known: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return known[status ?? 500] ?? 'api_error';
}
