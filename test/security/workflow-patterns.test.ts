import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentClient, openAgentClient } from '../support/agent-client.js';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// An input that a limited agent gives meets a pattern of the operator: neither may stop the gateway.

const pattern = '^([a-z0-9]+-?)+$';
const hostile = `${'a'.repeat(5000)}!`;
/** A text on which V8 would not finish within a year. */
const short = `${'a'.repeat(100)}!`;

let place: FlowPlace;
let agent: AgentClient;

const flow = (name: string, more: object): string =>
  place.file(`.tidegate/workflows/${name}.yaml`, JSON.stringify({ name, ...more }));

beforeAll(async () => {
  place = openFlowPlace();
  const ask = [{ name: 'word', required: true }];
  const files = [
    flow('checked', {
      inputs: [{ name: 'word', required: true, validation: { pattern } }],
      states: { initial: 'done', done },
    }),
    flow('condition', {
      inputs: ask,
      states: {
        initial: 'a',
        a: {
          type: 'command',
          command: 'true',
          transitions: [{ when: `inputs.word matches '${pattern}'`, goto: 'done' }],
          on_success: 'other',
        },
        other: { type: 'terminal', message: 'does not match' },
        done: { type: 'terminal', message: 'matches' },
      },
    }),
    flow('called', {
      inputs: ask,
      states: {
        initial: 'a',
        a: {
          type: 'call_workflow',
          workflow: 'checked',
          inputs: { word: '{{.inputs.word}}' },
          on_success: 'done',
        },
        done,
      },
    }),
    flow('chosen', {
      inputs: [{ name: 'by', required: true }],
      states: {
        initial: 'a',
        a: {
          type: 'command',
          command: 'true',
          transitions: [{ when: `'${short}' matches inputs.by`, goto: 'done' }],
          on_success: 'done',
        },
        done,
      },
    }),
    flow('format', {
      inputs: [{ name: 'by', required: true }],
      states: {
        initial: 'a',
        a: { type: 'command', command: 'echo {{escape (printf .inputs.by 1)}}', on_success: 'done' },
        done,
      },
      outputs: { said: 'states.a.Output' },
    }),
  ];
  for (const file of files) expect((await place.run1(['trust', file, '--yes'])).stderr).toBe('');
  await place.run1(['grant', 'agent:small', 'execute_workflow']);
  agent = await openAgentClient(place, 'agent:small');
});
afterAll(async () => {
  await agent.close();
  place.close();
});

const execute = (workflow: string, inputs: object): Promise<string> =>
  agent.call('execute_workflow', { workflow, inputs });

/** The same question to V8: it still works on it when the gateway has answered. */
async function whileNativeWorks(ask: () => Promise<string>): Promise<string> {
  const code = `process.stdout.write('x'); new RegExp(${JSON.stringify(pattern)}, 'u').test(${JSON.stringify(short)})`;
  const native = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => native.stdout.once('data', resolve));
  const said = await ask();
  expect(native.exitCode).toBe(null);
  native.kill('SIGKILL');
  return said;
}

describe('a pattern that backtracks', () => {
  it('[15.38] does not freeze the gateway when inputs are checked', async () => {
    const said = await whileNativeWorks(() => execute('checked', { word: hostile }));
    expect(said).toContain('must match');
    expect(await execute('checked', { word: 'a-b-c' })).toContain('completed');
  });

  it('[15.38] does not freeze it in a condition, whether the agent gives the pattern or the text', async () => {
    expect(await whileNativeWorks(() => execute('condition', { word: hostile }))).toContain('does not match');
    expect(await execute('condition', { word: 'a-b' })).toContain('matches');
    expect(await whileNativeWorks(() => execute('chosen', { by: pattern }))).toContain('completed');
    expect(await execute('chosen', { by: '^(a*)(a*)(a*)\\1\\2\\3x' })).toContain('takes too long');
    expect(await execute('chosen', { by: '(' })).toContain('not a valid regular expression');
  });

  it('[15.38] does not freeze it in a called workflow', async () => {
    expect(await whileNativeWorks(() => execute('called', { word: hostile }))).toContain('must match');
  });
});

describe('printf', () => {
  it('[15.40] reports an unsupported format as an error of the step, without paths', async () => {
    const said = await execute('format', { by: '%.999f' });
    expect(said).toContain('printf supports at most 100 decimal places, not 999.');
    expect(said).not.toMatch(/\bat \S+ \(|\.js:\d|file:\/\//);
    // Control: what it can take is written.
    expect(await execute('format', { by: '%.3f' })).toContain('1.000');
  });
});
