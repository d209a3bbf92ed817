import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatedAgent } from './support/gated.js';
import { type GatedPlace, openGatedPlace, type StepMore } from './support/gated-place.js';
import type { AgentName } from './support/agent-binary.js';

// Texts that an agent would fill in by itself: files and variables that nobody gave it.

let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace();
});
afterAll(() => place.close());

const secret = 'TOP-SECRET-4711';

/** Whether the model got to read the secret. */
async function hasRead(agent: AgentName, more: StepMore): Promise<boolean> {
  const { requests, result } = await place.runAgent(gatedAgent(agent), [{ say: 'all done' }], more);
  expect(result).toMatchObject({ status: 'completed' });
  expect(requests.length).toBeGreaterThan(0);
  return JSON.stringify(requests.map(({ body }) => body)).includes(secret);
}

describe('texts for an agent', () => {
  it('name files with @, and Claude Code does not read them; left its own tools, it does', async () => {
    const file = place.homeFile('secret.txt', secret);
    const prompt = `See @${file}`;
    expect(await hasRead('claude', { step: { prompt, tidegate: { tools: ['Glob'] } } })).toBe(false);
    expect(await hasRead('claude', { step: { prompt } })).toBe(true);
  });

  it('name files and variables in braces, and OpenCode does not fill them in', async () => {
    const file = place.homeFile('secret.txt', secret);
    const system = `Ticket {file:${file}} {env:MY_SECRET}`;
    const step = { system_prompt: system, tidegate: { tools: ['Glob'] } };
    expect(await hasRead('opencode', { step, env: { MY_SECRET: secret } })).toBe(false);
  });

  it('are found in .env of a project, and Gemini CLI does not obey them', async () => {
    const told = join(place.workspace, '.env');
    writeFileSync(told, `GEMINI_SYSTEM_MD=${place.homeFile('system.md', secret)}\n`);
    expect(await hasRead('gemini', { step: { tidegate: { tools: ['Glob'] } } })).toBe(false);
  });
});
