// What plugins provide for the workflow runner: step types, validators, events, and the check of `plugin_tools`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTidegate, type Tidegate } from 'tidegate';
import { waitFor } from '../support/gate.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';

let place: PluginPlace;
let gate: Tidegate;
const { signal } = new AbortController();

beforeAll(async () => {
  place = openPluginPlace({
    peer: {},
    peer_a: {},
    crashing: { behaviours: ['validator-crashes'], manifest: { capabilities: ['validators'] } },
    unasked: { manifest: { capabilities: ['operations'] } },
  });
  place.trustPlugins('peer', 'peer_a', 'crashing');
  gate = await openTidegate({
    cwd: place.workspace,
    env: place.env,
    version: '0.1.0',
    mode: 'command',
    logLevel: 'silent',
  });
});
afterAll(async () => {
  await gate.close();
  place.close();
});

describe('the plugins of a gateway', () => {
  it('are listed without being started', () => {
    const facts = gate.plugins.list().map(({ name, state }) => [name, state]);
    expect(facts).toEqual([
      ['crashing', 'idle'],
      ['peer', 'idle'],
      ['peer_a', 'idle'],
      ['unasked', 'untrusted'],
    ]);
  });

  it('report what they offer, or why they are unavailable', async () => {
    const offer = await gate.plugins.offer('peer', signal);
    expect(offer).toMatchObject({
      ok: true,
      value: { stepTypes: [{ name: 'query', description: 'Asks.' }] },
    });
    expect(await gate.plugins.offer('unasked', signal)).toMatchObject({
      ok: false,
      fault: { code: 'provider.untrusted' },
    });
    expect(await gate.plugins.offer('nobody', signal)).toMatchObject({
      ok: false,
      fault: { code: 'work.not_found' },
    });
  });

  it('run steps', async () => {
    const step = {
      plugin: 'peer',
      stepType: 'query',
      stepName: 's1',
      config: { sql: 'x' },
      inputs: { n: 1 },
    };
    expect(await gate.plugins.runStep(step, signal)).toEqual({
      ok: true,
      value: {
        output: 'ran',
        exitCode: 4,
        data: { step: 's1', type: 'query', config: { sql: 'x' }, inputs: { n: 1 } },
      },
    });
  });

  it('validate a workflow and each of its steps; a crash is a finding', async () => {
    const workflow = { name: 'w', initial: 'good', steps: { good: { type: 'step' }, bad: { type: 'step' } } };
    const issues = await gate.plugins.validate(workflow, { signal });
    expect(issues).toContainEqual({ plugin: 'peer', severity: 'warning', message: '2 steps' });
    expect(issues).toContainEqual({
      plugin: 'peer',
      severity: 'error',
      message: 'no timeout',
      step: 'bad',
      field: 'timeout',
    });
    const crashed = issues.filter(({ plugin }) => plugin === 'crashing');
    expect(crashed).toMatchObject([
      { severity: 'error', message: expect.stringContaining('The validator of the plugin failed') },
    ]);
  });

  it('receive events, and emit others under their own name, at most three levels deep', async () => {
    const heard: { type: string; source: string; payload: string }[] = [];
    const stop = gate.plugins.onEvent(
      ({ type, source, payload }) => void heard.push({ type, source, payload }),
    );
    gate.plugins.publish({ type: 'workflow.started', source: 'workflow', payload: '{"a":1}' });
    gate.plugins.publish({ type: 'other.thing', source: 'workflow', payload: '{}' });
    // Both receive it, and both receive each response, and so on: 2 at depth 1, 4 at depth 2, 8 at depth 3.
    await waitFor(
      () => heard.length === 14,
      20_000,
      () => String(heard.length),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop();
    expect(heard).toHaveLength(14);
    expect(new Set(heard.map(({ type }) => type))).toEqual(new Set(['peer.heard']));
    // The source they claim is ignored.
    expect(new Set(heard.map(({ source }) => source))).toEqual(new Set(['plugin:peer', 'plugin:peer_a']));
    const depths = heard.map(({ payload }) => (JSON.parse(payload) as { readonly depth: number }).depth);
    expect(Math.max(...depths)).toBe(2);
  });

  it('check plugin_tools: unknown plugins, unknown operations and name collisions', async () => {
    const { problems, unchecked, tools } = await gate.plugins.check(
      [
        { plugin: 'peer', expose: ['echo', 'nope', 'big'] },
        { plugin: 'nobody', expose: ['x'] },
        { plugin: 'peer', expose: ['echo'] },
        { plugin: 'unasked', expose: ['echo'] },
      ],
      ['peer_big'],
      signal,
    );
    expect(problems.map(({ code, entry, exposed }) => [code, entry, exposed])).toEqual([
      ['USER.MCP_PROXY.UNKNOWN_OPERATION', 0, 1],
      ['USER.MCP_PROXY.NAME_COLLISION', 0, 2],
      ['USER.MCP_PROXY.UNKNOWN_PLUGIN', 1, undefined],
      ['USER.MCP_PROXY.NAME_COLLISION', 2, 0],
    ]);
    expect(unchecked).toMatchObject([{ entry: 3, fault: { code: 'provider.untrusted' } }]);
    expect(tools).toEqual([]);
    expect(await gate.plugins.check([{ plugin: 'peer', expose: ['echo'] }], [], signal)).toEqual({
      problems: [],
      unchecked: [],
      tools: ['peer_echo'],
    });
  });
});
