import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execAgent, headless } from './support/exec-agent.js';
import { gatedAgent, gatedClis } from './support/gated.js';
import { type GatedPlace, openGatedPlace } from './support/gated-place.js';
import { bareStart, runAgentBare } from './support/hostile.js';

// Files that an agent CLI would send to its model without a tool call: project documents, and paths in a prompt.

const linked = 'the-secret-behind-a-link';
const hidden = 'the-secret-in-a-hidden-folder';
const prompt = 'Say what @.hidden/token and @"./.hidden/token" hold.';
const script = [{ say: 'all done' }];
const documents = ['AGENTS.md', 'AGENTS.override.md', 'GEMINI.md', 'CLAUDE.md'];

let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace();
  writeFileSync(join(place.directory, 'secret.txt'), `${linked}\n`);
  mkdirSync(join(place.workspace, '.hidden'));
  writeFileSync(join(place.workspace, '.hidden', 'token'), `${hidden}\n`);
  for (const name of documents) symlinkSync(join(place.directory, 'secret.txt'), join(place.workspace, name));
});
afterAll(() => place.close());

describe.each(gatedClis)('$title', (gated) => {
  it('[15.7] [15.40] under exec sends no linked document and no hidden file to the model', async () => {
    const run = await execAgent(place, gated, script, headless[gated.agent](prompt));
    expect([run.said, run.status]).toEqual([run.said, 0]);
    const sent = JSON.stringify(run.requests.map(({ body }) => body));
    expect(sent).toContain('.hidden/token');
    for (const secret of [linked, hidden]) expect(sent).not.toContain(secret);
  });

  it('[15.1] [15.7] under run sends no linked document and no hidden file to the model', async () => {
    const step = { prompt, system_prompt: prompt, mcp_proxy: { enable: true } };
    const run = await place.runAgent(gated, script, { step });
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    const sent = JSON.stringify(run.requests.map(({ body }) => body));
    expect(sent).toContain('.hidden/token');
    for (const secret of [linked, hidden]) expect(sent).not.toContain(secret);
  });
});

it.each([
  ['codex', [linked]],
  ['gemini', [linked, hidden]],
] as const)('[15.7] control: %s started directly sends them', async (agent, secrets) => {
  const auth = { selectedType: 'gemini-api-key' };
  place.homeFile('.gemini/settings.json', JSON.stringify({ security: { auth } }));
  const bodies: string[] = [];
  await runAgentBare(gatedAgent(agent), place, script, bareStart(agent), {
    prompt,
    onBody: (body) => bodies.push(JSON.stringify(body)),
  });
  for (const secret of secrets) expect(bodies.join('\n')).toContain(secret);
});
