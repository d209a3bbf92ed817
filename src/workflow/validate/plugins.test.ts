import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../test/support/tree-of.js';
import {
  createFault,
  createNoPlugins,
  type PluginAnswer,
  pluginCapabilities,
  type PluginOffer,
  type Plugins,
  pluginToolCodes,
} from '../../kernel/index.js';
import { workflowCodes } from '../codes.js';
import { type Finding, findingOf } from '../finding.js';
import { readWorkflow } from '../grammar/read-workflow.js';
import { checkPlugins } from './plugins.js';

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
    { plugins, signal: new AbortController().signal },
    (flaw) => void found.push(findingOf(flaw)),
  );
  return found.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
}

const operation = (name: string): object => ({
  a: { type: 'operation', operation: name, on_success: 'done' },
});

describe('what only plugins can say of a workflow', () => {
  it('is in the table of codes', () => {
    for (const code of pluginToolCodes) expect(workflowCodes).toHaveProperty([code]);
  });

  it('finds operations and types of steps that there are, also by a short name', async () => {
    expect(await codesOf(operation('k8s.apply'), fakePlugins())).toEqual([]);
    expect(await codesOf(operation('k.apply'), fakePlugins(), { plugins: { k: 'k8s' } })).toEqual([]);
    expect(await codesOf({ a: { type: 'k8s.query', on_success: 'done' } }, fakePlugins())).toEqual([]);
  });

  it('names what there is not, with what is near', async () => {
    const [unknown] = await codesOf(operation('k8s.aply'), fakePlugins());
    expect(unknown).toContain('error USER.MCP_PROXY.UNKNOWN_OPERATION');
    expect((await codesOf(operation('k9s.apply'), fakePlugins()))[0]).toContain(
      'USER.MCP_PROXY.UNKNOWN_PLUGIN',
    );
    expect((await codesOf({ a: { type: 'k8s.qery', on_success: 'done' } }, fakePlugins()))[0]).toContain(
      'UNKNOWN_STEP_TYPE',
    );
  });

  it('tells what could not be asked as skipped, never as right', async () => {
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

  it('passes on what validators object to', async () => {
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
});
