import type { ModelFormat } from './format.js';
import type { ScriptedAnswer, ScriptedCall } from './turn.js';

/** Chat Completions, as OpenAI and many others speak it. */
export const openaiChat: ModelFormat = {
  name: 'openai-chat',
  isAt: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const { model, stream, tools, messages } = recordOf(body);
    return {
      model: typeof model === 'string' ? model : '',
      isStreaming: stream === true,
      tools: listOf(tools).map((tool) => String(recordOf(recordOf(tool)['function'])['name'])),
      messages: listOf(messages).map((message) => {
        const { role, content } = recordOf(message);
        return { role: String(role), text: typeof content === 'string' ? content : '' };
      }),
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
            ...(answer.calls && { tool_calls: answer.calls.map((call, at) => wireCall(call, at)) }),
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
    const words = (answer.say ?? '').split(/(?<= )/).filter((word) => word !== '');
    return [
      chunk({ role: 'assistant', content: answer.say === undefined ? null : '' }),
      ...words.map((content) => chunk({ content })),
      ...callDeltas(answer).map((toolCall) => chunk({ tool_calls: [toolCall] })),
      chunk({}, finishOf(answer)),
      ...(answer.usage === 'none' ? [] : [event({ choices: [], ...usageOf(answer) })]),
      'data: [DONE]\n\n',
    ];
  },
  fault: ({ message = 'scripted failure', code }) =>
    JSON.stringify({ error: { message, type: 'scripted', code: code ?? null } }),
};

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function finishOf({ finish, calls }: ScriptedAnswer): string {
  return finish ?? (calls === undefined ? 'stop' : 'tool_calls');
}

function usageOf({ usage = { input: 10, output: 5 } }: ScriptedAnswer): object {
  if (usage === 'none') return {};
  const { input, output } = usage;
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } };
}

function argumentText({ arguments: given = {} }: ScriptedCall): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function wireCall(call: ScriptedCall, at: number): object {
  return {
    id: call.id ?? `call_${String(at + 1)}`,
    type: 'function',
    function: { name: call.name, arguments: argumentText(call) },
  };
}

/** The first piece carries id and name, the others only more of the arguments. */
function callDeltas({
  calls = [],
  pieces = 3,
  indexes = [],
  isInterleaved,
}: ScriptedAnswer): readonly object[] {
  const perCall = calls.map((call, at) => {
    const index = indexes[at] ?? at;
    const id = call.id ?? `call_${String(at + 1)}`;
    const head = { index, id, type: 'function', function: { name: call.name, arguments: '' } };
    return [
      head,
      ...cut(argumentText(call), pieces).map((part) => ({ index, function: { arguments: part } })),
    ];
  });
  if (isInterleaved !== true) return perCall.flat();
  const longest = Math.max(0, ...perCall.map((deltas) => deltas.length));
  return Array.from({ length: longest }, (_, at) =>
    perCall.flatMap((deltas) => deltas.slice(at, at + 1)),
  ).flat();
}

function cut(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
