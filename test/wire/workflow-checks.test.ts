import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

// What `validate` reports for files that a run would refuse, or that AWF accepts.

const example = fileURLToPath(new URL('../../examples/plugins/notes', import.meta.url));

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

const validate = (name: string, text: string, of = place) => of.run1(['validate', of.file(name, text)]);
const agent = (proxy: object, more: object = {}): string =>
  JSON.stringify({
    name: 'x',
    states: {
      initial: 'a',
      a: { type: 'agent', provider: 'openai', prompt: 'go', mcp_proxy: proxy, on_success: 'done', ...more },
      done,
    },
  });

describe('an enabled proxy that offers nothing', () => {
  const off = { enable: true, intercept_builtins: false };
  it.each([
    ['expose is empty', { ...off, plugin_tools: [{ plugin: 'none', expose: [] }] }, {}],
    ['expose is missing', { ...off, plugin_tools: [{ plugin: 'none' }] }, {}],
    ['tools only excludes', off, { tidegate: { tools: ['!Read'] } }],
  ])('[16.22] is EMPTY_PROXY if %s', async (_name, proxy, more) => {
    const { stdout, status } = await validate('empty.yaml', agent(proxy, more));
    expect(stdout).toContain('error USER.MCP_PROXY.EMPTY_PROXY');
    expect(status).toBe(2);
  });

  it('[16.22] is not EMPTY_PROXY if something else is offered', async () => {
    const { stdout } = await validate(
      'full.yaml',
      agent({ enable: true, plugin_tools: [{ plugin: 'none', expose: [] }] }),
    );
    expect(stdout).not.toContain('EMPTY_PROXY');
    expect(stdout).toContain('warning WORKFLOW.PARSE.IDLE_FIELD');
  });
});

it('[16.22] reports UNKNOWN_PLUGIN at the line of `plugin:`, even as the first key of a block item', async () => {
  const lines = [
    'name: x',
    'states:',
    '  initial: a',
    '  a:',
    '    type: agent',
    '    provider: openai',
    '    prompt: go',
    '    mcp_proxy:',
    '      enable: true',
    '      plugin_tools:',
    '        - plugin: nope',
    '          expose: [get]',
    '        - expose: [get]',
    '          plugin: nada',
    '    on_success: done',
    '  done: {type: terminal}',
  ];
  const { stdout } = await validate('lines.yaml', lines.join('\n'));
  expect(stdout).toMatch(/:11:11: error USER\.MCP_PROXY\.UNKNOWN_PLUGIN: [^\n]*nope/);
  expect(stdout).toMatch(/:14:11: error USER\.MCP_PROXY\.UNKNOWN_PLUGIN: [^\n]*nada/);
});

describe('a provider that Tidegate cannot run', () => {
  it.each(['github_copilot', 'copilot', 'mistral_vibe'])('[16.22] is a warning: %s', async (provider) => {
    const text = agent({ enable: true }, { provider });
    const { stdout, status } = await validate('provider.yaml', text);
    expect(stdout).toContain(
      `warning EXECUTION.AGENT.UNSUPPORTED: Tidegate cannot run the provider "${provider}"`,
    );
    expect(status).toBe(0);
  });
});

describe('a server with a tool of the same name as a plugin', () => {
  let upstream: ScriptedUpstream;
  let clashing: FlowPlace;
  beforeAll(async () => {
    upstream = await openScripted('stdio', 'legacy', {
      lists: { 'tools/list': ['{"name":"add","inputSchema":{"type":"object"}}'] },
      answers: { 'tools/call': {} },
    });
    clashing = openFlowPlace({ servers: { other: { ...upstream.entry, prefix: 'notes_' } } });
    cpSync(example, join(clashing.workspace, '.tidegate', 'plugins', 'notes'), { recursive: true });
    const { status, stderr } = clashing.run('plugin', 'trust', 'notes', '--yes');
    if (status !== 0) throw new Error(stderr);
  });
  afterAll(async () => {
    clashing.close();
    await upstream.close();
  });
  const exposing = (...expose: readonly string[]): string =>
    agent({ enable: true, plugin_tools: [{ plugin: 'notes', expose }] });

  it('[16.22] is NAME_COLLISION in validate, not only when the step starts', async () => {
    const { stdout, status } = await validate('clash.yaml', exposing('find', 'add'), clashing);
    expect(stdout).toMatch(/error USER\.MCP_PROXY\.NAME_COLLISION: .*both offer "notes_add"/);
    expect(stdout).not.toContain('notes_find');
    expect(status).toBe(2);
  });

  it('[16.22] is not a collision if the step exposes another operation', async () => {
    const { stdout, status } = await validate('other.yaml', exposing('find'), clashing);
    expect(stdout).not.toContain('NAME_COLLISION');
    expect(status).toBe(0);
  });
});
