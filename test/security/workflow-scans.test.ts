import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentClient, openAgentClient } from '../support/agent-client.js';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// What a workflow runs is searched before agents can start it. Neither a checkout nor an agent decides how long that takes.

let place: FlowPlace;
let agent: AgentClient;

beforeAll(async () => {
  place = openFlowPlace();
  for (const tool of ['list_workflows', 'execute_workflow']) await place.run1(['grant', 'agent:small', tool]);
  agent = await openAgentClient(place, 'agent:small');
});
afterAll(async () => {
  await agent.close();
  place.close();
});

const flow = (name: string, step: object): string =>
  place.file(
    `.tidegate/workflows/${name}.yaml`,
    JSON.stringify({
      name,
      states: { initial: 'a', a: { type: 'command', on_success: 'done', ...step }, done },
    }),
  );
/** The answer, and how long every caller of the gateway waited for it. */
async function listed(): Promise<{ readonly text: string; readonly ms: number }> {
  const before = performance.now();
  const text = await agent.call('list_workflows', {});
  return { text, ms: performance.now() - before };
}
const slashes = `echo;${'/'.repeat(100_000)} x`;
const patience = 4000;

it('[15.38] an untrusted workflow is not scanned', async () => {
  const file = flow('stranger', { command: slashes });
  const { text, ms } = await listed();
  expect(text).not.toContain('stranger');
  expect(ms).toBeLessThan(patience);
  // Also for the operator who looks at it.
  const before = performance.now();
  expect((await place.run1(['trust', file])).stdout).toContain('runs: echo;///');
  expect(performance.now() - before).toBeLessThan(patience);
  // Control: a search that goes back for each slash takes longer for a tenth of it than all of this.
  const start = performance.now();
  expect(/(?:^|;)(?:[^\s;]*\/[^\s;]*)?\{\{/.test(slashes.slice(0, 20_000))).toBe(false);
  expect(performance.now() - start).toBeGreaterThan(50);
});

it('[15.38] files that agents wrote after a workflow was trusted do not delay others', async () => {
  const script = place.file('scripts/build.sh', 'echo built\n');
  const program = place.file('tools/run.mjs', 'console.log(1)\n');
  const scripts = place.file('tools/package.json', JSON.stringify({ scripts: { go: 'node run.mjs' } }));
  const flows = [
    flow('scripted', { script_file: script }),
    flow('programmed', { command: 'node run.mjs; npm run go', dir: 'tools' }),
  ];
  for (const file of flows) expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
  // Control: as they were trusted, both can be started.
  expect((await listed()).text).toMatch(/programmed.*scripted/);
  const hostile: readonly (readonly [file: string, text: string, was: string])[] = [
    [script, slashes, 'echo built\n'],
    [script, '{{'.repeat(60_000), 'echo built\n'],
    [program, `#!${'/a '.repeat(300_000)}`, 'console.log(1)\n'],
    [program, 'require('.repeat(400_000), 'console.log(1)\n'],
    [scripts, JSON.stringify({ scripts: { go: 'a;'.repeat(60_000) } }), ''],
    [scripts, JSON.stringify({ scripts: { go: 'npm run go;'.repeat(60) } }), ''],
  ];
  for (const [file, text, was] of hostile) {
    writeFileSync(file, text);
    const { text: answer, ms } = await listed();
    expect(answer).not.toContain(file === script ? 'scripted' : 'programmed');
    expect(ms, text.slice(0, 20)).toBeLessThan(patience);
    if (was !== '') writeFileSync(file, was);
  }
  expect((await listed()).text).toContain('scripted');
});

it('[15.38] a file that did not exist when the workflow was trusted does not delay others', async () => {
  const file = flow('absent', { command: 'npm run go', dir: 'empty' });
  place.file('empty/readme.md', 'x');
  expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
  // Control: the workflow can be started.
  expect((await listed()).text).toContain('absent');
  for (const go of ['a;'.repeat(60_000), 'npm run go;'.repeat(60), `echo;${'/'.repeat(100_000)}`]) {
    place.file('empty/package.json', JSON.stringify({ scripts: { go } }));
    const { text, ms } = await listed();
    expect(text).not.toContain('absent');
    expect(ms, go.slice(0, 20)).toBeLessThan(patience);
  }
});
