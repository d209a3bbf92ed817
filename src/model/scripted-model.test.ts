import { afterEach, describe, expect, it } from 'vitest';
import { openScriptedModel, type ScriptedModel } from './open-scripted-model.js';

let model: ScriptedModel;
afterEach(() => model.close());

async function ask(body: object): Promise<Response> {
  return fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
  });
}

describe('a scripted model', () => {
  it('returns its turns in order, and an error after the last one', async () => {
    model = await openScriptedModel([
      { say: 'one' },
      { calls: [{ name: 'Read', arguments: { path: 'a' } }] },
    ]);
    expect(await (await ask({})).json()).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { content: 'one' } }],
    });
    expect(await (await ask({})).json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { tool_calls: [{ function: { name: 'Read', arguments: '{"path":"a"}' } }] },
        },
      ],
    });
    expect(model.isOver()).toBe(true);
    expect((await ask({})).status).toBe(500);
  });

  it('streams calls in pieces, optionally interleaved and with any indexes', async () => {
    model = await openScriptedModel([
      {
        calls: [
          { name: 'a', arguments: { x: 1 } },
          { name: 'b', arguments: { y: 2 } },
        ],
        isInterleaved: true,
        indexes: [0, 4],
        pieces: 2,
      },
    ]);
    const text = await (await ask({ stream: true })).text();
    const deltas = [...text.matchAll(/^data: (\{.*\})$/gm)]
      .map(
        ([, json = '']) =>
          JSON.parse(json) as {
            choices: { delta: { tool_calls?: { index: number; function: { arguments: string } }[] } }[];
          },
      )
      .flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(deltas.map(({ index }) => index)).toEqual([0, 4, 0, 4, 0, 4]);
    expect(
      deltas
        .filter(({ index }) => index === 4)
        .map((delta) => delta.function.arguments)
        .join(''),
    ).toBe('{"y":2}');
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('breaks off or fails as scripted, and records all requests', async () => {
    model = await openScriptedModel(({ messages }, at) =>
      at === 0
        ? { say: 'cut', cutAfter: 40 }
        : { fails: { status: 429, headers: { 'retry-after': '1' }, message: messages[0]?.text ?? '' } },
    );
    await expect((await ask({ stream: true })).text()).rejects.toThrow();
    const failed = await ask({
      messages: [{ role: 'user', content: 'hello' }],
      tools: [{ function: { name: 'Read' } }],
    });
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await failed.json()).toMatchObject({ error: { message: 'hello' } });
    expect(model.requests.map(({ tools }) => tools)).toEqual([[], ['Read']]);
  });
});
