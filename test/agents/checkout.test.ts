import { afterAll, describe, expect, it } from 'vitest';
import { actsBare, type Checkout, openCheckout } from './support/checkout.js';
import { execAgent } from './support/exec-agent.js';
import { type Gated, gatedClis } from './support/gated.js';
import { bareStart, runAgentBare } from './support/hostile.js';

// A checkout may contain files that an agent or its runtime loads before the first tool call.

const opened: Checkout[] = [];
afterAll(() => {
  for (const { place } of opened) place.close();
});

function checkout(): Checkout {
  const one = openCheckout();
  opened.push(one);
  return one;
}

const script = [
  { calls: [{ name: /(?:^|[_/])Glob$/, arguments: { pattern: '*.none' } }] },
  { say: 'all done' },
] as const;

describe.each(gatedClis)('$title in a checkout with every kind of hostile file', (gated: Gated) => {
  it('[15.7] executes none of them under `tidegate run`', async () => {
    const { place, marks } = checkout();
    const run = await place.runAgent(gated, script, { step: { mcp_proxy: { enable: true } } });
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    expect(run.results).toHaveLength(1);
    expect(marks()).toEqual([]);
  });

  it('[15.7] executes none of them under `tidegate exec`', async () => {
    const { place, marks } = checkout();
    const run = await execAgent(place, gated, script);
    expect([run.said, run.status]).toEqual([run.said, 0]);
    expect(run.results).toHaveLength(1);
    expect(marks()).toEqual([]);
  });

  it('[15.7] control: started directly, it executes some of them', async () => {
    const { place, marks } = checkout();
    place.homeFile('.gemini/settings.json', '{"security":{"auth":{"selectedType":"gemini-api-key"}}}');
    place.homeFile(
      '.codex/config.toml',
      `[projects.${JSON.stringify(place.workspace)}]\ntrust_level = "trusted"\n`,
    );
    const said = await runAgentBare(gated, place, [{ say: 'all done' }], bareStart(gated.agent));
    expect([said, marks()]).toEqual([said, expect.arrayContaining([...actsBare[gated.agent]])]);
  });
});
