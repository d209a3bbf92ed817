import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentClient, openAgentClient } from '../support/agent-client.js';
import { type FlowPlace, openFlowPlace } from '../support/flow.js';

// Arguments that a limited agent gives meet patterns in the schema of a workspace tool.

const pattern = '^([a-z0-9]+-?)+$';
const hostile = `${'a'.repeat(5000)}!`;
/** A text on which the language's own matcher would not finish within a year. */
const short = `${'a'.repeat(100)}!`;

const tool = (name: string, schema: object): string => `import { defineTool } from 'tidegate/tool';
export default defineTool({
  name: '${name}',
  title: 'Check',
  description: 'Checks its arguments.',
  effect: 'read',
  input: {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => (${JSON.stringify({ type: 'object', ...schema })}), output: () => ({}) },
    },
  },
  run: () => 'accepted',
});
`;

let place: FlowPlace;
let agent: AgentClient;

beforeAll(async () => {
  place = openFlowPlace();
  const description = 'A value.';
  const keyed = { type: 'object', description, patternProperties: { [pattern]: { type: 'integer' } } };
  const tools = {
    check_value: { properties: { word: { type: 'string', description, pattern } } },
    check_keys: { properties: { map: { ...keyed, additionalProperties: { type: 'string' } } } },
    check_address: { properties: { at: { type: 'string', description, format: 'url' } } },
    check_back: { properties: { word: { type: 'string', description, pattern: '^(a*)(a*)(a*)\\1\\2\\3x' } } },
  };
  for (const [name, schema] of Object.entries(tools))
    place.file(`.tidegate/tools/${name}.tool.mjs`, tool(name, schema));
  expect((await place.run1(['trust', '--yes'])).status).toBe(0);
  for (const name of Object.keys(tools)) await place.run1(['grant', 'agent:small', name]);
  agent = await openAgentClient(place, 'agent:small');
});
afterAll(async () => {
  await agent.close();
  place.close();
});

/** Control: the language's own matcher still works on the same question when the gateway has answered. */
async function whileNativeWorks(ask: () => Promise<string>): Promise<string> {
  const code = `process.stdout.write('x'); new RegExp(${JSON.stringify(pattern)}, 'u').test(${JSON.stringify(short)})`;
  const native = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => native.stdout.once('data', resolve));
  const said = await ask();
  expect(native.exitCode).toBe(null);
  native.kill('SIGKILL');
  return said;
}

describe('a pattern that backtracks in the schema of a workspace tool', () => {
  it('[15.38] does not freeze the gateway when it matches a value', async () => {
    const said = await whileNativeWorks(() => agent.call('check_value', { word: hostile }));
    expect(said).toContain(`word must match ${pattern}`);
    expect(await agent.call('check_value', { word: 'a-b-c' })).toContain('accepted');
  });

  it('[15.38] does not freeze it when it matches a property name', async () => {
    const said = await whileNativeWorks(() => agent.call('check_keys', { map: { [short]: 1 } }));
    expect(said).toContain('must be of type string');
    expect(await agent.call('check_keys', { map: { 'a-b': 1, '!': 'text' } })).toContain('accepted');
    expect(await agent.call('check_keys', { map: { 'a-b': 'text' } })).toContain('must be of type integer');
  });

  it('[15.38] does not freeze it in a format whose own pattern backtracks', async () => {
    expect(await agent.call('check_address', { at: `http://${hostile}` })).toContain('accepted');
    expect(await agent.call('check_address', { at: 'no address' })).toContain('is invalid');
  });

  it('[15.38] refuses arguments that cannot be checked within the limit', async () => {
    expect(await agent.call('check_back', { word: 'a'.repeat(3000) })).toContain('takes too long');
  });
});
