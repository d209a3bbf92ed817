import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

async function said(tools: readonly string[]): Promise<{ readonly validate: string; readonly run: string }> {
  const model = await openScriptedModel([{ say: 'x' }]);
  try {
    const states = { initial: 'a', a: agentStep(model.url, { tidegate: { tools } }), done };
    const file = place.file('names.yaml', JSON.stringify({ name: 'names', states }));
    const validated = await place.run1(['validate', file]);
    const ran = await place.run1(['run', file]);
    expect([validated.status, ran.status]).toEqual([0, 0]);
    return { validate: validated.stdout + validated.stderr, run: ran.stdout + ran.stderr };
  } finally {
    await model.close();
  }
}

it('a misspelled tool of an agent is reported by validate and by the run, with a suggestion', async () => {
  const { validate, run } = await said(['Raed', 'zzz_*']);
  expect(validate).toContain('UNKNOWN_TOOL: No built-in tool matches "Raed". Did you mean Read?');
  expect(run).toContain('tools: no tool is called Raed. Did you mean "Read"?');
  expect(run).toContain('tools: no tool is called zzz_*.');
  // Only once, not by the file check too.
  expect(run).not.toContain('No built-in tool matches');
  expect(run).toContain('The agent has no tools');
});

it('existing names are not reported', async () => {
  const { validate, run } = await said(['Read', 'G*', '!Grep']);
  expect(validate + run).not.toMatch(/tool matches|no tool/);
});
