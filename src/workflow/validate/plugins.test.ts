import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../test/support/tree-of.js';
import { createFault } from '../../core/index.js';
import { createNoPlugins } from '../../ports/no-plugins.js';
import {
  type PluginAnswer,
  pluginCapabilities,
  type PluginOffer,
  type Plugins,
  pluginToolCodes,
} from '../../ports/plugins.js';
import { workflowCodes } from '../codes.js';
import { type Finding, findingOf } from '../finding.js';
import { readWorkflow } from '../grammar/read-workflow.js';
import { checkPlugins, type FindRivals } from './plugins.js';

const offer: PluginAnswer<PluginOffer> = {
  ok: true,
  value: {
    operations: [{ name: 'apply', tool: 'k8s_apply', description: '' }],
    stepTypes: [{ name: 'query', description: '' }],
  },
};

function fakePlugins(more: Partial<Plugins> = {}): Plugins {
  return {
    ...createNoPlugins(),
    list: () => [{ name: 'k8s', state: 'ready', capabilities: [...pluginCapabilities] }],
    offer: (name) =>
      Promise.resolve(
        name === 'k8s' ? offer : { ok: false, fault: createFault('provider.unavailable', 'it is gone') },
      ),
    ...more,
  };
}

async function codesOf(
  states: object,
  plugins: Plugins | undefined,
  more: object = {},
  findRivals?: FindRivals,
): Promise<readonly string[]> {
  const source = {
    file: 'x.yaml',
    text: '',
    root: treeOf({ name: 'x', ...more, states: { initial: 'a', ...states, done: { type: 'terminal' } } }),
  };
  const { workflow } = readWorkflow(source, () => undefined);
  const found: Finding[] = [];
  await checkPlugins(
    workflow,
    { plugins, signal: new AbortController().signal, ...(findRivals && { findRivals }) },
    (flaw) => void found.push(findingOf(flaw)),
  );
  return found.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
}

const operation = (name: string): object => ({
  a: { type: 'operation', operation: name, on_success: 'done' },
});

describe('plugin checks of a workflow', () => {
  it('use known codes', () => {
    for (const code of pluginToolCodes) expect(workflowCodes).toHaveProperty([code]);
  });

  it('find existing operations and step types, including by short name', async () => {
    expect(await codesOf(operation('k8s.apply'), fakePlugins())).toEqual([]);
    expect(await codesOf(operation('k.apply'), fakePlugins(), { plugins: { k: 'k8s' } })).toEqual([]);
    expect(await codesOf({ a: { type: 'k8s.query', on_success: 'done' } }, fakePlugins())).toEqual([]);
  });

  it('report unknown names with the nearest match', async () => {
    const [unknown] = await codesOf(operation('k8s.aply'), fakePlugins());
    expect(unknown).toContain('error USER.MCP_PROXY.UNKNOWN_OPERATION');
    expect((await codesOf(operation('k9s.apply'), fakePlugins()))[0]).toContain(
      'USER.MCP_PROXY.UNKNOWN_PLUGIN',
    );
    expect((await codesOf({ a: { type: 'k8s.qery', on_success: 'done' } }, fakePlugins()))[0]).toContain(
      'UNKNOWN_STEP_TYPE',
    );
  });

  it('report what could not be checked as skipped, never as valid', async () => {
    const gone = fakePlugins({
      offer: () => Promise.resolve({ ok: false, fault: createFault('provider.unavailable', 'it is gone') }),
    });
    expect((await codesOf(operation('k8s.apply'), gone))[0]).toContain(
      'warning WORKFLOW.VALIDATION.CHECK_SKIPPED',
    );
    expect((await codesOf(operation('k8s.apply'), undefined))[0]).toContain(
      'warning WORKFLOW.VALIDATION.CHECK_SKIPPED',
    );
  });

  it('report the findings of validators', async () => {
    const strict = fakePlugins({
      validate: ({ steps }) =>
        Promise.resolve([
          { plugin: 'k8s', severity: 'error', message: `no ${Object.keys(steps)[0] ?? ''}`, step: 'a' },
        ]),
    });
    expect(await codesOf(operation('k8s.apply'), strict)).toEqual([
      'error WORKFLOW.VALIDATION.PLUGIN_RULE k8s: no a.',
    ]);
  });

  it('[16.22] name a server with a tool of the same name, and servers that could not be listed', async () => {
    const agent = (...expose: readonly string[]): object => ({
      a: {
        type: 'agent',
        provider: 'openai',
        prompt: 'x',
        mcp_proxy: { enable: true, plugin_tools: [{ plugin: 'k8s', expose }] },
        on_success: 'done',
      },
    });
    const clash = { name: 'k8s_apply', first: 'server:k8s', second: 'plugin:k8s' };
    const plugins = fakePlugins({
      check: () => Promise.resolve({ problems: [], unchecked: [], tools: [] }),
    });
    const found = await codesOf(agent('apply'), plugins, {}, (tools) =>
      Promise.resolve({ collisions: tools.includes('k8s_apply') ? [clash] : [], unasked: ['gone'] }),
    );
    expect(found).toEqual([
      'error USER.MCP_PROXY.NAME_COLLISION server:k8s and plugin:k8s both offer "k8s_apply".',
      'warning WORKFLOW.VALIDATION.CHECK_SKIPPED Cannot list the tools of server "gone": its names may collide.',
    ]);
    const asked: string[] = [];
    await codesOf(agent(), plugins, {}, (tools) => {
      asked.push(...tools, 'asked');
      return Promise.resolve({ collisions: [], unasked: [] });
    });
    expect(asked).toEqual([]);
  });

  it('[16.23] let a plugin replace a built-in AWF operation', async () => {
    const http = fakePlugins({
      list: () => [{ name: 'http', state: 'ready', capabilities: [...pluginCapabilities] }],
      offer: () => Promise.resolve(offer),
    });
    expect(await codesOf(operation('http.apply'), http)).toEqual([]);
    expect((await codesOf(operation('http.request'), http))[0]).toContain('UNKNOWN_OPERATION');
    expect(await codesOf(operation('http.request'), fakePlugins())).toEqual([
      'error WORKFLOW.VALIDATION.UNDEFINED_INPUT "http.request" requires the input "url".',
      'error WORKFLOW.VALIDATION.UNDEFINED_INPUT "http.request" requires the input "method".',
    ]);
    expect((await codesOf(operation('github.get_pr'), fakePlugins()))[0]).toContain(
      'warning EXECUTION.OPERATION.UNSUPPORTED',
    );
    expect(await codesOf(operation('noop'), undefined)).toEqual([]);
  });
});
