import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAgentClient } from '../support/agent-client.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// A resumed run keeps the limits of the gateway through which an agent started it.

let place: FlowPlace;
let strict: string;
let model: Awaited<ReturnType<typeof openScriptedModel>>;

beforeAll(async () => {
  place = openFlowPlace({ access: { default_profile: 'full' } });
  strict = place.file(
    'strict.yaml',
    JSON.stringify({ builtins: ['*'], access: { default_profile: 'none' } }),
  );
  model = await openScriptedModel(() => ({ say: 'x' }));
  const states = {
    initial: 'a',
    a: { type: 'command', command: 'test -f go', on_success: 'b' },
    b: agentStep(model.url, { tidegate: { tools: ['*'] } }),
    done,
  };
  const file = place.file('.tidegate/workflows/limited.yaml', JSON.stringify({ name: 'limited', states }));
  for (const one of [strict, file]) expect((await place.run1(['trust', one, '--yes'])).status).toBe(0);
  await place.run1(['grant', 'agent:small', 'execute_workflow']);
});
afterAll(async () => {
  await model.close();
  place.close();
});

/** Starts a run that fails at its first step, and returns its id. */
async function startRun(as: string | undefined, args: readonly string[]): Promise<string> {
  rmSync(join(place.workspace, 'go'), { force: true });
  const agent = await openAgentClient(place, as, {}, args);
  const answer = await agent.call('execute_workflow', { workflow: 'limited', inputs: {} });
  await agent.close();
  place.file('go', '');
  return /\d{8}-\d{6}-[0-9a-f]{6}/.exec(answer)?.[0] ?? '';
}

async function toolsAfter(...args: readonly string[]): Promise<readonly string[]> {
  const before = model.requests.length;
  expect((await place.run1(['run', '--resume', ...args])).status).toBe(0);
  expect(model.requests).toHaveLength(before + 1);
  return model.requests.at(-1)?.tools ?? [];
}

it.each([
  ['--tools', 'agent:small', () => ['--tools', 'execute_workflow']],
  ['--tools of an operator session', undefined, () => ['--tools', 'execute_workflow']],
  ['--config', 'agent:small', () => ['--config', strict]],
] as const)('[15.33] a resumed run keeps %s of its gateway', async (_, as, args) => {
  const id = await startRun(as, args());
  expect(await toolsAfter(id, '--config', place.configFile)).toEqual(['execute_workflow']);
  // Control: the operator takes over a run and has all tools.
  const other = await startRun(as, args());
  expect(await toolsAfter(other, '--take-over', '--config', place.configFile)).toContain('Bash');
});
