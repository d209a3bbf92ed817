import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatedAgent } from './support/gated.js';
import { type GatedPlace, openGatedPlace, type StepMore } from './support/gated-place.js';
import type { AgentName } from './support/agent-binary.js';

// Placeholders that an agent would expand itself: files and variables it must not read.

let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace();
});
afterAll(() => place.close());

const secret = 'TOP-SECRET-4711';

/** Whether the secret reached the model. */
async function hasRead(agent: AgentName, more: StepMore): Promise<boolean> {
  const { requests, result } = await place.runAgent(gatedAgent(agent), [{ say: 'all done' }], more);
  expect(result).toMatchObject({ status: 'completed' });
  expect(requests.length).toBeGreaterThan(0);
  return JSON.stringify(requests.map(({ body }) => body)).includes(secret);
}

describe('texts for an agent', () => {
  it('with @file are not expanded by Claude Code, unless it keeps its own tools', async () => {
    const file = place.homeFile('secret.txt', secret);
    const prompt = `See @${file}`;
    expect(await hasRead('claude', { step: { prompt, tidegate: { tools: ['Glob'] } } })).toBe(false);
    expect(await hasRead('claude', { step: { prompt } })).toBe(true);
  });

  it('with files and variables in braces are not expanded by OpenCode', async () => {
    const file = place.homeFile('secret.txt', secret);
    const system = `Ticket {file:${file}} {env:MY_SECRET}`;
    const step = { system_prompt: system, tidegate: { tools: ['Glob'] } };
    expect(await hasRead('opencode', { step, env: { MY_SECRET: secret } })).toBe(false);
  });

  it('from .env of a project are ignored by Gemini CLI', async () => {
    const told = join(place.workspace, '.env');
    writeFileSync(told, `GEMINI_SYSTEM_MD=${place.homeFile('system.md', secret)}\n`);
    expect(await hasRead('gemini', { step: { tidegate: { tools: ['Glob'] } } })).toBe(false);
  });
});
