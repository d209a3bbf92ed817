import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentClient, openAgentClient } from '../support/agent-client.js';
import { done } from '../support/flow.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';

// Step types of plugins run outside the sandbox, so an agent needs the same access as for operations.

let place: PluginPlace;
let agent: AgentClient;

beforeAll(async () => {
  place = openPluginPlace({ peer: {} }, { builtins: ['*'], log: { level: 'error' } });
  place.trustPlugins('peer');
  const step = { type: 'peer.query', config: { sql: '{{.inputs.sql}}' }, on_success: 'done' };
  const workflow = {
    name: 'asks',
    inputs: [{ name: 'sql', default: 'x' }],
    states: { initial: 'a', a: step, done },
  };
  place.writeWorkspace('.tidegate/workflows/asks.yaml', JSON.stringify(workflow));
  run('trust', '.tidegate/workflows/asks.yaml', '--yes');
  run('grant', 'agent:small', 'execute_workflow');
  agent = await openAgentClient(place, 'agent:small');
});
afterAll(async () => {
  await agent.close();
  place.close();
});

function run(...args: readonly string[]): string {
  const { status, stdout, stderr } = place.run(...args);
  expect([args[0], status, stderr]).toEqual([args[0], 0, expect.any(String)]);
  return stdout;
}
const execute = (): Promise<string> =>
  agent.call('execute_workflow', { workflow: 'asks', inputs: { sql: 'drop-it' } });
/** The plugin ends every step like this. */
const reached = 'peer.query exited with status 4';

it('[15.32] a step type of a plugin needs access to the plugin in a run that an agent started', async () => {
  const refused = await execute();
  expect(refused).toContain('peer.query is not available in this run');
  expect(refused).not.toContain(reached);
  // Control: with a grant the step runs; a block overrides the grant.
  run('grant', 'agent:small', 'peer_query', '--force');
  expect(await execute()).toContain(reached);
  run('grant', 'agent:small', 'peer_*', '--block', '--force');
  expect(await execute()).toContain('peer.query is not available in this run');
  run('revoke', 'agent:small', 'peer_*', '--unblock');
});

it('[15.32] such steps are recorded, whether allowed or refused', async () => {
  run('grant', 'agent:small', 'peer_query', '--force');
  await execute();
  run('revoke', 'agent:small', 'peer_query');
  await execute();
  const lines = run('audit', '--principal', 'agent:small').split('\n');
  const decisions = lines.flatMap((line) =>
    line.includes('peer_query') ? [/allow|deny/.exec(line)?.[0]] : [],
  );
  expect(decisions.slice(0, 2)).toEqual(['deny', 'allow']);
});

it('[15.32] the operator needs no grant for them', () => {
  const { stdout, stderr } = place.run('run', 'asks', '-i', 'sql=mine');
  expect(stdout + stderr).toContain(reached);
});
