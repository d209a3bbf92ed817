import { asRecord } from '../lib/is-record.js';
import type { ModelFormat, SpokenAnswer, SpokenCall } from './format.js';
import { contentText, cut, event, type JsonRecord, listOf, recordsOf, textOf, words } from './parts.js';
import type { ToolResult } from './turn.js';

/** OpenAI Chat Completions API, which many others use too. */
export const openaiChat: ModelFormat = {
  name: 'openai-chat',
  isAt: (path) => path.endsWith('/chat/completions'),
  idPrefix: 'call_',
  read(body) {
    const { model, stream, tools, messages } = asRecord(body);
    const history = recordsOf(messages);
    return {
      model: textOf(model),
      isStreaming: stream === true,
      advertised: recordsOf(tools).map((tool) => ({
        name: String(asRecord(tool['function'])['name']),
        kind: 'function',
        isDeferred: false,
      })),
      turn: history.filter(({ tool_calls: calls }) => listOf(calls).length > 0).length,
      results: resultsOf(history),
      instructions: history
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map(({ content }) => contentText(content))
        .join('\n'),
      messages: history.map(({ role, content }) => ({ role: String(role), text: contentText(content) })),
    };
  },
  whole: (answer, { model }) =>
    JSON.stringify({
      id: 'chatcmpl-scripted',
      object: 'chat.completion',
      created: 0,
      model,
      choices: [
        {
          index: 0,
          finish_reason: finishOf(answer),
          message: {
            role: 'assistant',
            content: answer.say ?? null,
            ...(answer.calls.length > 0 && { tool_calls: answer.calls.map(wireCall) }),
          },
        },
      ],
      ...usageOf(answer),
    }),
  events(answer, { model }) {
    const chunk = (delta: object, finish: string | null = null): string =>
      event({
        id: 'chatcmpl-scripted',
        object: 'chat.completion.chunk',
        created: 0,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    return [
      chunk({ role: 'assistant', content: answer.say === undefined ? null : '' }),
      ...words(answer.say).map((content) => chunk({ content })),
      ...callDeltas(answer).map((toolCall) => chunk({ tool_calls: [toolCall] })),
      chunk({}, finishOf(answer)),
      ...(answer.usage === 'none' ? [] : [event({ choices: [], ...usageOf(answer) })]),
      'data: [DONE]\n\n',
    ];
  },
  fault: ({ message = 'scripted failure', code }) =>
    JSON.stringify({ error: { message, type: 'scripted', code: code ?? null } }),
};

function resultsOf(history: readonly JsonRecord[]): readonly ToolResult[] {
  const names = new Map(
    history
      .flatMap(({ tool_calls: calls }) => recordsOf(calls))
      .map((call) => [textOf(call['id']), textOf(asRecord(call['function'])['name'])]),
  );
  return history
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id: id, content }) => ({
      callId: textOf(id),
      tool: names.get(textOf(id)) ?? '',
      text: contentText(content),
    }));
}

function finishOf({ finish, calls }: SpokenAnswer): string {
  return finish ?? (calls.length === 0 ? 'stop' : 'tool_calls');
}

function usageOf({ usage = { input: 10, output: 5 } }: SpokenAnswer): object {
  if (usage === 'none') return {};
  const { input, output } = usage;
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } };
}

function wireCall({ id, name, text }: SpokenCall): object {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** The first piece has the id and name, the others only more arguments. */
function callDeltas({ calls, pieces, indexes = [], isInterleaved }: SpokenAnswer): readonly object[] {
  const perCall = calls.map(({ id, name, text }, at) => {
    const index = indexes[at] ?? at;
    const head = { index, id, type: 'function', function: { name, arguments: '' } };
    return [head, ...cut(text, pieces).map((part) => ({ index, function: { arguments: part } }))];
  });
  if (isInterleaved !== true) return perCall.flat();
  const longest = Math.max(0, ...perCall.map((deltas) => deltas.length));
  return Array.from({ length: longest }, (_, at) =>
    perCall.flatMap((deltas) => deltas.slice(at, at + 1)),
  ).flat();
}
