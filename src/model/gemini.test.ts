import { afterEach, describe, expect, it } from 'vitest';
import { inConversation } from './in-conversation.js';
import { openScriptedModel, type ScriptedModel } from './open-scripted-model.js';

let model: ScriptedModel;
afterEach(() => model.close());

const body = {
  systemInstruction: { role: 'user', parts: [{ text: 'You are an agent.' }] },
  tools: [
    {
      functionDeclarations: [
        { name: 'mcp_gate_echo', description: 'x', parametersJsonSchema: { type: 'object' } },
      ],
    },
    { googleSearch: {} },
  ],
  contents: [{ role: 'user', parts: [{ text: 'go' }] }],
};
const afterOne = [
  ...body.contents,
  {
    role: 'model',
    parts: [
      { functionCall: { id: 'call_1', name: 'mcp_gate_echo', args: {} }, thoughtSignature: 'eA==' },
      { functionCall: { id: 'call_2', name: 'run_shell_command', args: { command: 'touch x' } } },
    ],
  },
  {
    role: 'user',
    parts: [
      { functionResponse: { id: 'call_1', name: 'mcp_gate_echo', response: { output: 'said' } } },
      { functionResponse: { id: 'call_2', name: 'run_shell_command', response: { error: 'not there' } } },
    ],
  },
];

async function ask(verb: string, value: object): Promise<Response> {
  return fetch(`${model.origin}/v1beta/models/gemini-test:${verb}`, {
    method: 'POST',
    body: JSON.stringify(value),
  });
}

describe('a scripted model with the Gemini API', () => {
  it('streams text in pieces and calls whole', async () => {
    model = await openScriptedModel([
      { say: 'well then', calls: [{ name: /echo/, arguments: { a: 1 } }, { name: 'write_file' }] },
    ]);
    const text = await (await ask('streamGenerateContent?alt=sse', body)).text();
    const events = [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data) as object);
    expect(events).toMatchObject([
      { candidates: [{ content: { role: 'model', parts: [{ text: 'well ' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'then' }] } }] },
      {
        candidates: [
          {
            finishReason: 'STOP',
            content: {
              parts: [
                { functionCall: { id: 'call_1', name: 'mcp_gate_echo', args: { a: 1 } } },
                { functionCall: { id: 'call_2', name: 'write_file', args: {} } },
              ],
            },
          },
        ],
        usageMetadata: { totalTokenCount: 15 },
        modelVersion: 'gemini-test',
      },
    ]);
    expect(events[0]).not.toHaveProperty('candidates.0.finishReason');
  });

  it('reads tools, turn, results and instructions, and answers without a stream if none is requested', async () => {
    model = await openScriptedModel(inConversation([{ calls: [{ name: /x/ }] }, { say: 'over' }]));
    const answer = await ask('generateContent', { ...body, contents: afterOne });
    expect(await answer.json()).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'over' }] }, finishReason: 'STOP' }],
    });
    expect(model.requests).toMatchObject([
      {
        format: 'gemini',
        model: 'gemini-test',
        isStreaming: false,
        turn: 1,
        tools: ['mcp_gate_echo', 'googleSearch'],
        advertised: [{ kind: 'function' }, { kind: 'built-in' }],
        results: [
          { callId: 'call_1', tool: 'mcp_gate_echo', text: 'said', isError: false },
          { callId: 'call_2', tool: 'run_shell_command', text: 'not there', isError: true },
        ],
        instructions: 'You are an agent.',
      },
    ]);
  });

  it('counts tokens without using a turn, and reports errors in its own format', async () => {
    model = await openScriptedModel([{ fails: { status: 503, code: 'UNAVAILABLE', message: 'later' } }]);
    expect(await (await ask('countTokens', body)).json()).toEqual({ totalTokens: 10 });
    expect(await (await ask('generateContent', body)).json()).toEqual({
      error: { code: 503, message: 'later', status: 'UNAVAILABLE' },
    });
  });
});
