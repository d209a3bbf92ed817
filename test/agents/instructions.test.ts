import { inConversation, openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentStep, done } from '../support/flow.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';
import { gatedClis } from './support/gated.js';
import { agentStepOf, blocked, type GatedPlace, openGatedPlace } from './support/gated-place.js';

// The instructions each of the five providers sends to its model before the first turn, and its tool names later.

const paragraph =
  "Not all tools are in your list. Before you conclude that something can't be done, call tool_search";
const words = 'Rinse every gadget before it spins.';
const read = { calls: [{ name: /(?:^|[_/])Read$/, arguments: { file_path: 'in.txt' } }] } as const;
const used = { mcp_proxy: { enable: true }, tidegate: { servers: ['many', 'talks'], lazy: 'on' } };
const next = { prompt: 'And now?', conversation: { continue_from: 'a' }, ...used };

let upstreams: readonly ScriptedUpstream[];
let place: GatedPlace;
beforeAll(async () => {
  const tool = (name: string): string =>
    JSON.stringify({ name, description: `Spins ${name}.`, inputSchema: { type: 'object' } });
  const many = Array.from({ length: 60 }, (_, at) => tool(`gadget_${String(at)}`));
  upstreams = await Promise.all([
    openScripted('stdio', 'legacy', { lists: { 'tools/list': many } }),
    openScripted('stdio', 'legacy', { instructions: words, lists: { 'tools/list': [tool('spin')] } }),
  ]);
  const [deferred, shown] = upstreams.map(({ entry }) => entry);
  place = openGatedPlace({ servers: { many: deferred, talks: { ...shown, lazy: false } } });
  place.file('in.txt', 'the tide is high\n');
});
afterAll(async () => {
  place.close();
  await Promise.all(upstreams.map((one) => one.close()));
});

const providers = [...gatedClis, { title: 'the OpenAI-compatible loop' } as const];

describe.each(providers)('$title', (provider) => {
  it('[16.19] [16.20] gets instructions about deferred tools, and has the same tool names when it continues', async () => {
    const model = await openScriptedModel(
      inConversation([read, { say: 'first done' }, { say: 'second done' }]),
    );
    const stepOf = (step: object): object =>
      'agent' in provider ? agentStepOf(provider, model, { step }) : agentStep(model.url, step);
    const states = { initial: 'a', a: stepOf({ ...used, on_success: 'b' }), b: stepOf(next), done };
    const env = { ...place.agentEnv, ...('agent' in provider && blocked(provider, model.origin)) };
    const { result } = await place.flow({ states }, [], { env, limitMs: 110_000 });
    const asked = model.requests.filter(({ tools }) => tools.length > 0);
    await model.close();
    expect(result).toMatchObject({ status: 'completed' });
    const first = JSON.stringify(asked[0]?.body);
    expect([first.includes(paragraph), first.includes(words)]).toEqual([true, true]);
    // The call of the first step is part of the last request.
    expect(asked.at(-1)?.results[0]?.text).toContain('the tide is high');
    expect(asked.at(-1)?.tools).toEqual(asked[0]?.tools);
  });
});
