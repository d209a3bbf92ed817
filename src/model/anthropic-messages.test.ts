import { afterEach, describe, expect, it } from 'vitest';
import { inConversation } from './in-conversation.js';
import { openScriptedModel, type ScriptedModel } from './open-scripted-model.js';

let model: ScriptedModel;
afterEach(() => model.close());

const body = {
  model: 'claude-test',
  max_tokens: 100,
  system: [
    { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'Be brief.' },
  ],
  tools: [
    { name: 'mcp__gate__echo', description: 'x', input_schema: { type: 'object' } },
    { name: 'DeferredTool', input_schema: { type: 'object' }, defer_loading: true },
    { type: 'web_search_20250305', name: 'web_search' },
  ],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
};
const afterOne = [
  ...body.messages,
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I try.' },
      { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'touch x' } },
      { type: 'tool_use', id: 'toolu_2', name: 'ToolSearch', input: { query: 'x' } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        is_error: true,
        content: [{ type: 'text', text: 'No such tool' }],
      },
      {
        type: 'tool_result',
        tool_use_id: 'toolu_2',
        content: [{ type: 'tool_reference', tool_name: 'DeferredTool' }],
      },
    ],
  },
];

async function ask(path: string, value: object): Promise<Response> {
  return fetch(`${model.origin}${path}`, { method: 'POST', body: JSON.stringify(value) });
}

describe('a scripted model with the Anthropic Messages API', () => {
  it('streams text and calls as blocks, the arguments in pieces', async () => {
    model = await openScriptedModel([
      { say: 'well then', calls: [{ name: 'Bash', arguments: { command: 'ls' } }, { name: /echo/ }] },
    ]);
    const text = await (await ask('/v1/messages?beta=true', { ...body, stream: true })).text();
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, name, data = '']) => {
      const value = JSON.parse(data) as { type: string };
      expect(value.type).toBe(name);
      return value;
    });
    expect(events[0]).toMatchObject({ message: { role: 'assistant', content: [], model: 'claude-test' } });
    expect(events.filter(({ type }) => type === 'content_block_start')).toMatchObject([
      { index: 0, content_block: { type: 'text', text: '' } },
      { index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} } },
      { index: 2, content_block: { type: 'tool_use', id: 'toolu_2', name: 'mcp__gate__echo' } },
    ]);
    const pieces = events as { index?: number; delta?: { partial_json?: string } }[];
    const json = pieces.filter(({ index }) => index === 1).map(({ delta }) => delta?.partial_json ?? '');
    expect(JSON.parse(json.join(''))).toEqual({ command: 'ls' });
    expect(events.slice(-2)).toMatchObject([
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ]);
  });

  it('reads tools, turn, results and instructions, and answers without a stream if none is requested', async () => {
    model = await openScriptedModel(inConversation([{ calls: [{ name: 'Bash' }] }, { say: 'over' }]));
    const answer = await ask('/v1/messages', { ...body, messages: afterOne });
    expect(await answer.json()).toMatchObject({
      type: 'message',
      // Must differ from the id of the previous turn.
      id: 'msg_3',
      content: [{ type: 'text', text: 'over' }],
      stop_reason: 'end_turn',
    });
    expect(model.requests).toMatchObject([
      {
        format: 'anthropic-messages',
        model: 'claude-test',
        turn: 1,
        tools: ['mcp__gate__echo', 'DeferredTool', 'web_search'],
        advertised: [
          { kind: 'function', isDeferred: false },
          { kind: 'function', isDeferred: true },
          { kind: 'built-in', isDeferred: false },
        ],
        results: [
          { callId: 'toolu_1', tool: 'Bash', text: 'No such tool', isError: true },
          {
            callId: 'toolu_2',
            tool: 'ToolSearch',
            text: '[{"type":"tool_reference","tool_name":"DeferredTool"}]',
            isError: false,
          },
        ],
        instructions: 'You are an agent.\nBe brief.',
      },
    ]);
  });

  it('counts tokens without using a turn, and reports errors in its own format', async () => {
    model = await openScriptedModel([{ fails: { status: 429, message: 'slowly' } }]);
    expect(await (await ask('/v1/messages/count_tokens', body)).json()).toEqual({ input_tokens: 10 });
    expect(model.requests).toEqual([]);
    expect(await (await ask('/v1/messages', body)).json()).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slowly' },
    });
  });
});
