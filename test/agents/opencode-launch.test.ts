import { inConversation, openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done } from '../support/flow.js';
import { execAgent } from './support/exec-agent.js';
import { gatedAgent } from './support/gated.js';
import { agentStepOf, type GatedPlace, openGatedPlace } from './support/gated-place.js';

// OpenCode starts in an empty folder but still works on the project.

const gated = gatedAgent('opencode');
let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace();
  place.file('in.txt', 'the tide is high\n');
});
afterAll(() => place.close());

const read = { calls: [{ name: /(?:^|[_/])Read$/, arguments: { file_path: 'in.txt' } }] } as const;

describe('OpenCode, started outside the project', () => {
  it('[15.7] knows the project folder, resolves relative paths there, and continues its conversation', async () => {
    const model = await openScriptedModel(
      inConversation([read, { say: 'first done' }, { say: 'second done' }]),
    );
    const step = agentStepOf(gated, model, { step: { mcp_proxy: { enable: true }, on_success: 'b' } });
    const next = { prompt: 'And now?', conversation: { continue_from: 'a' }, mcp_proxy: { enable: true } };
    const states = { initial: 'a', a: step, b: agentStepOf(gated, model, { step: next }), done };
    const { result } = await place.flow({ states }, [], { env: place.agentEnv, limitMs: 110_000 });
    const asked = model.requests.filter(({ tools }) => tools.length > 0);
    await model.close();
    expect(result).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(asked[0]?.body)).toContain(`The project you work on is ${place.workspace}.`);
    expect(asked.at(-1)?.results.map(({ text }) => text)).toEqual([
      expect.stringContaining('the tide is high'),
    ]);
    expect(JSON.stringify(asked.at(-1)?.body)).toContain('first done');
  });

  it('[15.7] continues the last conversation of the same project under exec', async () => {
    const other = openGatedPlace();
    const first = await execAgent(place, gated, [{ say: 'said here' }], ['run', 'First question.']);
    // The same user, in another project.
    const env = { agentEnv: { ...place.agentEnv }, env: place.env };
    const second = await execAgent(
      { ...other, ...env },
      gated,
      [{ say: 'said there' }],
      ['run', 'Other question.'],
    );
    const third = await execAgent(place, gated, [{ say: 'once more' }], ['run', '-c', 'Second question.']);
    other.close();
    expect([first.status, second.status, third.status]).toEqual([0, 0, 0]);
    const body = JSON.stringify(third.requests.at(-1)?.body);
    expect(body).toContain('First question.');
    expect(body).not.toContain('Other question.');
  });
});
