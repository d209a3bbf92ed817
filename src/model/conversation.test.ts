import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { inConversation } from './in-conversation.js';
import { openScriptedModel, type ScriptedModel } from './open-scripted-model.js';

let model: ScriptedModel;
afterEach(() => model.close());

const tools = [{ type: 'function', function: { name: 'mcp_look' } }, { function: { name: 'bash' } }];
const called = (id: string, name: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
});

async function ask(body: object, more: RequestInit = {}): Promise<Response> {
  return fetch(`${model.url}/chat/completions?x=1`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
    ...more,
  });
}

describe('a script in conversation', () => {
  it('derives the turn from the conversation, however often it is asked', async () => {
    model = await openScriptedModel(
      inConversation([{ calls: [{ name: 'bash' }] }, { calls: [{ name: /look$/ }] }, { say: 'end' }]),
    );
    const messages = [
      { role: 'system', content: 'be good' },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      called('call_1', 'bash'),
      { role: 'tool', tool_call_id: 'call_1', content: 'refused' },
    ];
    for (let again = 0; again < 2; again += 1) {
      expect(await (await ask({ tools, messages })).json()).toMatchObject({
        choices: [{ message: { tool_calls: [{ id: 'call_2', function: { name: 'mcp_look' } }] } }],
      });
    }
    expect(model.requests.at(-1)).toMatchObject({
      format: 'openai-chat',
      turn: 1,
      tools: ['mcp_look', 'bash'],
      advertised: [{ name: 'mcp_look', kind: 'function', isDeferred: false }, { name: 'bash' }],
      results: [{ callId: 'call_1', tool: 'bash', text: 'refused' }],
      instructions: 'be good',
      messages: [{}, { role: 'user', text: 'go' }, {}, {}],
    });
    const last = [...messages, called('call_2', 'mcp_look'), called('call_3', 'mcp_look')];
    expect(await (await ask({ tools, messages: last })).json()).toMatchObject({
      choices: [{ message: { content: 'done' } }],
    });
  });

  it('answers a side request briefly, and lists the tools if none matches', async () => {
    model = await openScriptedModel(inConversation([{ calls: [{ name: /write/ }] }]));
    expect(await (await ask({})).json()).toMatchObject({ choices: [{ message: { content: 'ok' } }] });
    const failed = await ask({ tools });
    expect(failed.status).toBe(400);
    expect(await failed.json()).toMatchObject({
      error: { message: 'no tool matches /write/. Shown: mcp_look, bash' },
    });
  });

  it('reads compressed bodies, and as a proxy records and refuses every connection', async () => {
    model = await openScriptedModel([{ say: 'read' }]);
    const packed = gzipSync(JSON.stringify({ model: 'packed' }));
    expect((await ask({}, { body: packed, headers: { 'content-encoding': 'gzip' } })).status).toBe(200);
    expect(model.requests[0]?.model).toBe('packed');
    const status = await new Promise((resolve) => {
      httpRequest(model.origin, { method: 'CONNECT', path: 'example.com:443' })
        .on('connect', (response) => resolve(response.statusCode))
        .end();
    });
    expect([status, model.tunnels]).toEqual([502, ['example.com:443']]);
  });
});
