import { afterEach, describe, expect, it } from 'vitest';
import { inConversation } from './in-conversation.js';
import { openScriptedModel, type ScriptedModel } from './open-scripted-model.js';

let model: ScriptedModel;
afterEach(() => model.close());

const parameters = { type: 'object', properties: {} };
const ours = {
  type: 'namespace',
  name: 'mcp__gate',
  description: 'How to use the gateway.',
  tools: [{ type: 'function', name: 'echo', description: 'x', strict: false, parameters }],
};
const exec = {
  type: 'custom',
  name: 'exec',
  description:
    'Run code\n```ts\ndeclare const tools: { apply_patch(input: string): Promise<unknown>; };\n```\n' +
    '```ts\ndeclare const tools: { exec_command(args: {\n  cmd: string;\n}): Promise<unknown>; };\n```',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: SOURCE' },
};
const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] };
const developer = {
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text: 'Be brief.' }],
};
const direct = {
  model: 'gpt-test',
  store: false,
  instructions: 'You are an agent.',
  tools: [
    { type: 'function', name: 'exec_command', strict: false, parameters },
    { type: 'custom', name: 'apply_patch', format: {} },
    ours,
    { type: 'tool_search', execution: 'client', parameters },
    { type: 'web_search' },
  ],
  input: [developer, user],
};
const lite = {
  model: 'gpt-lite',
  input: [
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'functions', tools: [exec] }, ours],
    },
    user,
  ],
};

async function ask(value: object, path = '/v1/responses'): Promise<Response> {
  return fetch(`${model.origin}${path}`, { method: 'POST', body: JSON.stringify(value) });
}

async function output(value: object): Promise<unknown> {
  return ((await (await ask(value)).json()) as { output: unknown }).output;
}

describe('a scripted model with the OpenAI Responses API', () => {
  it('streams items: announced, in pieces, then whole', async () => {
    model = await openScriptedModel([
      { say: 'well then', calls: [{ name: /echo/, arguments: { a: 1 } }], pieces: 2 },
    ]);
    const text = await (await ask({ ...direct, stream: true }, '/responses')).text();
    const events = [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, name, data = '']) => {
      const value = JSON.parse(data) as { type: string; sequence_number: number };
      expect(value.type).toBe(name);
      return value;
    });
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'output_item.added',
      'output_text.delta',
      'output_text.delta',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'output_item.done',
      'completed',
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
    expect(events[8]).toMatchObject({
      output_index: 1,
      item: {
        type: 'function_call',
        namespace: 'mcp__gate',
        name: 'echo',
        arguments: '{"a":1}',
        call_id: 'call_1',
      },
    });
    expect(events[9]).toMatchObject({
      response: { status: 'completed', output: [{ type: 'message' }, {}], usage: { total_tokens: 15 } },
    });
  });

  it('reads tools, turns, results and instructions of a direct model', async () => {
    model = await openScriptedModel(inConversation([{}, {}, { say: 'over' }]));
    const input = [
      ...direct.input,
      { type: 'function_call', call_id: 'call_1', name: 'echo', namespace: 'mcp__gate', arguments: '{}' },
      { type: 'reasoning', encrypted_content: 'x' },
      { type: 'function_call', call_id: 'call_2', name: 'shell', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Wall time: 0.1 seconds\nOutput:\nsaid' },
      { type: 'function_call_output', call_id: 'call_2', output: 'unsupported call: shell' },
      { type: 'custom_tool_call', call_id: 'call_3', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'call_3', output: [{ type: 'input_text', text: 'no' }] },
    ];
    expect(await output({ ...direct, input })).toMatchObject([{ content: [{ text: 'over' }] }]);
    expect(model.requests[0]).toMatchObject({
      format: 'openai-responses',
      turn: 2,
      tools: ['exec_command', 'apply_patch', 'mcp__gate/echo', 'tool_search', 'web_search'],
      advertised: [
        { kind: 'function' },
        { kind: 'custom' },
        { kind: 'function' },
        { kind: 'tool_search' },
        { kind: 'built-in' },
      ],
      results: [
        { callId: 'call_1', tool: 'mcp__gate/echo', text: 'Wall time: 0.1 seconds\nOutput:\nsaid' },
        { callId: 'call_2', tool: 'shell', text: 'unsupported call: shell' },
        { callId: 'call_3', tool: 'apply_patch', text: 'no' },
      ],
      instructions: 'You are an agent.\nBe brief.',
    });
  });

  it('finds tools among the items and in the description of exec, and calls them with code', async () => {
    model = await openScriptedModel([
      { calls: [{ name: /^exec>exec_command$/, arguments: { cmd: 'ls' } }] },
      { calls: [{ name: 'exec>apply_patch', arguments: '*** "Begin"' }] },
      { calls: [{ name: /\/exec$/, arguments: 'text(1)' }] },
    ]);
    const call = { type: 'custom_tool_call', name: 'exec', namespace: 'functions' };
    expect(await output(lite)).toMatchObject([
      { ...call, input: 'text(await tools.exec_command({"cmd":"ls"}));' },
    ]);
    expect(await output(lite)).toMatchObject([
      { ...call, input: 'text(await tools.apply_patch("*** \\"Begin\\""));' },
    ]);
    expect(await output(lite)).toMatchObject([{ ...call, input: 'text(1)' }]);
    expect(model.requests[0]?.tools).toEqual([
      'functions/exec',
      'exec>apply_patch',
      'exec>exec_command',
      'mcp__gate/echo',
    ]);
  });

  it('marks tools found by a search, and makes forbidden calls of every kind', async () => {
    model = await openScriptedModel([
      {
        calls: [
          { name: 'functions/exec_command' },
          { name: 'apply_patch', kind: 'custom', arguments: '*** Begin Patch' },
          { name: 'tool_search', arguments: { query: 'x' } },
          { name: 'local_shell', kind: 'local_shell', arguments: { command: ['ls'] } },
        ],
      },
    ]);
    const found = { type: 'tool_search_output', call_id: 'call_0', execution: 'client', tools: [ours] };
    expect(await output({ ...direct, tools: direct.tools.slice(3), input: [user, found] })).toMatchObject([
      { type: 'function_call', name: 'exec_command', namespace: 'functions' },
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'tool_search_call', execution: 'client', arguments: { query: 'x' } },
      { type: 'local_shell_call', action: { type: 'exec', command: ['ls'] } },
    ]);
    expect(model.requests[0]?.advertised.at(-1)).toEqual({
      name: 'mcp__gate/echo',
      kind: 'function',
      isDeferred: true,
    });
  });
});
