import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerLines, nativeLines, writeFakeAgent } from '../support/fake-agent.js';
import { done, type FlowResult } from '../support/flow.js';
import { agentNames } from './support/agent-binary.js';
import { type GatedPlace, openGatedPlace } from './support/gated-place.js';

// If an agent reports that it used a native tool, it is believed. These are fake agents, because real ones have no native
// tools left to report.

let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace({}, false);
});
afterAll(() => place.close());

const proxied = { mcp_proxy: { enable: true } };

async function run(
  cli: (typeof agentNames)[number],
  program: string,
  step: object = {},
): Promise<{ readonly status: number | null; readonly result: FlowResult }> {
  const a = {
    type: 'agent',
    provider: cli,
    prompt: 'go',
    options: { program },
    on_success: 'done',
    ...proxied,
    ...step,
  };
  return place.flow({ states: { initial: 'a', a, done } }, [], { env: place.agentEnv });
}

describe.each(agentNames)('bypass detection: %s', (cli) => {
  it('fails a step whose agent ran its own tool, and records it', async () => {
    const fake = writeFakeAgent(place.directory, `bypass-${cli}`, { cli, lines: nativeLines(cli) });
    const { status, result } = await run(cli, fake.program);
    expect(result).toMatchObject({ status: 'failed', code: 'EXECUTION.AGENT.BYPASSED' });
    expect(status).not.toBe(0);
    const told = place.transcript(result).filter(({ type }) => type === 'tool.call.bypassed');
    expect(told).toHaveLength(1);
    expect(told[0]?.payload).toMatchObject({ fidelity: 'agent' });
    expect(JSON.stringify(told[0]?.payload)).toMatch(/bash|command|Bash/);
  });

  it('continues with tidegate.allow_native, and still records it', async () => {
    const fake = writeFakeAgent(place.directory, `allowed-${cli}`, { cli, lines: nativeLines(cli) });
    const { status, result } = await run(cli, fake.program, { tidegate: { allow_native: true } });
    expect([status, result.steps[0]?.output]).toEqual([0, 'all done']);
    expect(place.transcript(result).map(({ type }) => type)).toContain('tool.call.bypassed');
  });

  it('ignores an own tool whose call was refused', async () => {
    const fake = writeFakeAgent(place.directory, `refused-${cli}`, { cli, lines: nativeLines(cli, true) });
    const { status, result } = await run(cli, fake.program);
    expect([status, result.steps[0]?.output]).toEqual([0, 'all done']);
    expect(place.transcript(result).map(({ type }) => type)).not.toContain('tool.call.bypassed');
  });

  it('refuses to run an agent that leaked in its isolation test', async () => {
    const fake = writeFakeAgent(place.directory, `leaks-${cli}`, {
      cli,
      lines: answerLines(cli),
      trialLines: nativeLines(cli),
    });
    const { result } = await run(cli, fake.program);
    expect(result.code).toBe('EXECUTION.AGENT.BYPASSED');
    expect(result.steps[0]?.error?.message).toContain('has tools that Tidegate cannot disable');
    expect(fake.starts().map(({ isTrial }) => isTrial)).toEqual([true]);
  });
});

describe('AC-6: the coexistence warning', () => {
  it.each(agentNames)('%s: a step with unverified isolation warns before it starts', async (cli) => {
    const fake = writeFakeAgent(place.directory, `unproven-${cli}`, { cli, lines: answerLines(cli) });
    const a = {
      type: 'agent',
      provider: cli,
      prompt: 'go',
      options: { program: fake.program },
      on_success: 'done',
    };
    const flow = { name: 'x', states: { initial: 'a', a: { ...a, ...proxied }, done } };
    const file = join(place.workspace, 'unproven.yaml');
    writeFileSync(file, JSON.stringify(flow));
    const { stderr, stdout, status } = await place.run1(['run', file], { env: place.agentEnv });
    expect(stderr + stdout).toContain('has not been verified to use only tools from Tidegate');
    expect(status).toBe(0);
    // The agent itself is also asked to use only the gateway.
    const started = fake.starts().find(({ isTrial }) => !isTrial);
    const isTold = cli === 'codex' ? started?.args.join(' ') : undefined;
    if (isTold !== undefined) {
      expect(isTold).toContain('-s read-only');
      expect(isTold).toContain('developer_instructions=');
    }
    // The control: an agent that keeps its tools gets no such instruction.
    const kept = {
      ...a,
      mcp_proxy: { enable: true, intercept_builtins: false },
      tidegate: { tools: ['Read'] },
    };
    writeFileSync(file, JSON.stringify({ ...flow, states: { ...flow.states, a: kept } }));
    const additive = await place.run1(['run', file], { env: place.agentEnv });
    expect(additive.stderr + additive.stdout).not.toMatch(/Nothing proves|not been verified/);
  });
});

describe('the stored isolation result of an agent', () => {
  it('is used until the program changes', async () => {
    const spec = { cli: 'claude', lines: answerLines('claude') } as const;
    const fake = writeFakeAgent(place.directory, 'upgraded', spec);
    const trials = (): readonly boolean[] => fake.starts().map(({ isTrial }) => isTrial);
    await run('claude', fake.program);
    // An inconclusive test is repeated.
    expect(trials()).toEqual([true, true, false]);
    await run('claude', fake.program);
    expect(trials()).toEqual([true, true, false, false]);
    writeFakeAgent(place.directory, 'upgraded', { ...spec, lines: answerLines('claude', 'a newer one') });
    await run('claude', fake.program);
    expect(trials()).toEqual([true, true, false, false, true, true, false]);
  });
});
