import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentClient, openAgentClient } from '../support/agent-client.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// What a workflow sends to its model is on the screen: variables of the operator, and files behind links.

type Model = Awaited<ReturnType<typeof openScriptedModel>>;

const secrets = { DEPLOY_PASSWORD: 'hunter2-very-secret', OTHER_SECRET: 'another-secret' };
let place: FlowPlace;
let agent: AgentClient;
let model: Model;

beforeAll(async () => {
  place = openFlowPlace();
  model = await openScriptedModel(() => ({ say: 'x' }));
  await place.run1(['grant', 'agent:small', 'execute_workflow']);
  agent = await openAgentClient(place, 'agent:small', secrets);
});
afterAll(async () => {
  await agent.close();
  await model.close();
  place.close();
});

const flow = (name: string, step: object, more: object = {}): string =>
  place.file(
    `.tidegate/workflows/${name}.yaml`,
    JSON.stringify({ name, ...more, states: { initial: 'a', a: step, done } }),
  );
const trust = (file: string): ReturnType<FlowPlace['run1']> => place.run1(['trust', file, '--yes']);
const execute = (workflow: string, inputs: object = {}): Promise<string> =>
  agent.call('execute_workflow', { workflow, inputs });
const keyed = (key: string): object =>
  agentStep(model.url, { options: { base_url: model.url, model: 'm', api_key: key } });
const sentKey = (): unknown => model.requests.at(-1)?.headers['authorization'];

describe('an API key in the options', () => {
  it('[15.30] is shown with the variables that it takes', async () => {
    const file = flow('keyed', keyed('{{.env.DEPLOY_PASSWORD}}'));
    for (const { stdout } of [await place.run1(['run', file, '--dry-run']), await trust(file)]) {
      expect(stdout).toContain('sends as the API key: {{.env.DEPLOY_PASSWORD}}');
      expect(stdout).toContain('sends environment variables: DEPLOY_PASSWORD');
      expect(stdout).not.toContain('the API key in the file');
    }
    // Control: the variable is sent, and a key written in the file stays hidden.
    await execute('keyed');
    expect(sentKey()).toBe(`Bearer ${secrets.DEPLOY_PASSWORD}`);
    const plain = (await trust(flow('plain', keyed('sk-in-the-file')))).stdout;
    expect(plain).toContain('sends the API key in the file');
    expect(plain).not.toContain('sk-in-the-file');
  });

  it('[15.30] cannot be trusted if an input names the variable', async () => {
    const inputs = [{ name: 'name', default: 'A' }];
    const { status, stderr } = await trust(flow('named', keyed('{{index .env .inputs.name}}'), { inputs }));
    expect(stderr).toContain('inputs.name determines which environment variable is sent as the API key');
    expect(status).toBe(2);
    expect(await execute('named', { name: 'OTHER_SECRET' })).toContain('There is no workflow');
    // Control: an agent may pass its own key.
    expect((await trust(flow('named', keyed('{{.inputs.name}}'), { inputs }))).status).toBe(0);
    await execute('named', { name: 'own-key' });
    expect(sentKey()).toBe('Bearer own-key');
  });
});

describe('a file of a workflow that is a link', () => {
  const link = (name: string, target: string): void => {
    const path = join(place.workspace, '.tidegate', name);
    mkdirSync(join(path, '..'), { recursive: true });
    rmSync(path, { force: true });
    symlinkSync(target, path);
  };
  const used: readonly (readonly [string, object])[] = [
    ['prompts/linked.md', { prompt: undefined, prompt_file: 'linked.md' }],
    ['roles/linked/AGENTS.md', { role: 'linked' }],
    ['skills/linked/SKILL.md', { skills: ['linked'] }],
  ];

  it.each(used)('[15.30] cannot be trusted if it leads out of the workspace: %s', async (name, more) => {
    const key = join(place.directory, 'home', 'id_rsa');
    writeFileSync(key, 'PRIVATE KEY');
    link(name, key);
    const file = flow('linked', agentStep(model.url, more));
    const { status, stderr } = await trust(file);
    expect(stderr).toContain(`is a link to ${key}, outside the workspace`);
    expect(status).toBe(2);
    expect(await execute('linked')).toContain('There is no workflow');
    // Control: a link inside the workspace is trusted, and the screen says where it leads.
    const inside = place.file('notes/inside.md', 'from inside');
    link(name, inside);
    expect((await trust(file)).stdout).toContain(`${join('.tidegate', name)} -> ${inside}`);
    await execute('linked');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('from inside');
  });
});
