import { describe, expect, it } from 'vitest';
import { codex } from './codex.js';
import { mitigation } from './launch.js';
import { otherModel, planSettings } from './plan-settings.fixture.js';

const asked = JSON.stringify({
  models: [{ slug: 'm', shell_type: 'shell', apply_patch_tool_type: 'freeform' }],
});
const server =
  'mcp_servers.tserver={command="/bin/node",args=["/t.js","mcp-serve","--config","/s/t.json"],required=true,' +
  'default_tools_approval_mode="approve",omit_tools_from=["deferred","code_mode"]}';

describe('the plan of Codex', () => {
  it('isolates it by flags and by a catalogue of models without abilities', () => {
    const { args, files, env, stdin, isolation } = codex.plan(planSettings({ asked }));
    const off =
      'shell_tool shell_snapshot unified_exec view_image multi_agent goals sleep_tool image_generation apps plugins remote_plugin ' +
      'hooks tool_suggest skill_search';
    expect(args).toEqual([
      ...['exec', '--json', '--skip-git-repo-check', '--ignore-user-config'],
      ...['-c', 'agents.enabled=false', '-c', 'tools.experimental_request_user_input.enabled=false'],
      ...['-c', 'tools.update_plan.enabled=false', '-c', 'web_search="disabled"'],
      ...['--enable', 'mcp_tool_list_changed', '-c', 'suppress_unstable_features_warning=true'],
      ...off.split(' ').flatMap((name) => ['--disable', name]),
      ...['-c', 'model_catalog_json="/launch/models.json"'],
      ...['-c', 'features.code_mode.excluded_tool_namespaces=["functions","clock"]'],
      ...['-c', 'features.code_mode.direct_only_tool_namespaces=["mcp__tserver"]'],
      ...['-c', server, '-'],
    ]);
    expect(files).toEqual([
      {
        path: 'models.json',
        text: JSON.stringify({
          models: [
            {
              slug: 'm',
              shell_type: 'disabled',
              apply_patch_tool_type: null,
              experimental_supported_tools: [],
              supports_search_tool: false,
              multi_agent_version: 'disabled',
              node_repl_disabled: true,
            },
          ],
        }),
      },
    ]);
    expect([env, stdin, isolation]).toEqual([{}, 'say "hi" there\n', 'full']);
  });

  it('has another home in a terminal, and no tools of its screen', () => {
    const { args, files, env } = codex.plan(planSettings({ asked, own: ['exec', 'say hi'] }));
    expect(args.slice(-2)).toEqual(['exec', 'say hi']);
    const text = args.join(' ');
    expect(text).not.toContain('--ignore-user-config');
    for (const name of ['worktrees', 'daemon_auto_start']) expect(text).toContain(`--disable ${name} `);
    for (const name of ['codex_worktrees', 'codex_tui'])
      expect(args).toContain(`mcp_servers.${name}={command="false",enabled=false}`);
    expect(env).toEqual({ CODEX_HOME: '/launch/codex' });
    expect(files.slice(1)).toEqual([
      { path: 'codex/sessions', link: '/home/u/.codex/sessions', isFolder: true },
    ]);
  });

  it('starts nothing without a catalogue: its flags alone leave apply_patch', () => {
    expect(() => codex.plan(planSettings())).toThrow('which models it knows');
    expect(() => codex.plan(planSettings({ asked: '{"models":[]}' }))).toThrow('which models it knows');
  });

  it('only adds the gate where its own tools stay', () => {
    const { args, files } = codex.plan(planSettings({ isIsolated: false }));
    expect(args).toEqual(['exec', '--json', '--skip-git-repo-check', '-c', server, '-']);
    expect(files).toEqual([]);
  });

  it('takes a model, a system prompt and an endpoint, and all of it stands before resume', () => {
    const more = { asked, model: 'm', system: 'say "x"\n', resume: 's1', endpoint: otherModel };
    const { args } = codex.plan(planSettings(more));
    expect(args.slice(-3)).toEqual(['resume', 's1', '-']);
    expect(args).toContain('developer_instructions="say \\"x\\"\\n"');
    expect(args).toContain(
      'model_providers.tidegate={name="tidegate",base_url="http://127.0.0.1:1/v1",env_key="KEY",wire_api="responses"}',
    );
    expect(args.join(' ')).not.toContain('secret-key');
  });

  it('has a sandbox that cannot write where nothing is proven, and says so', () => {
    const { args, warnings } = codex.plan(planSettings({ asked, isProven: false }));
    expect(args.slice(args.indexOf('-s')).slice(0, 2)).toEqual(['-s', 'read-only']);
    expect(args).toContain(`developer_instructions=${JSON.stringify(mitigation('tserver'))}`);
    expect(warnings).toHaveLength(1);
    // The control.
    expect(codex.plan(planSettings({ asked })).args).not.toContain('-s');
  });
});

describe('what Codex says', () => {
  const read = (...lines: readonly object[]) => {
    const reader = codex.createReader('tserver');
    return lines.flatMap((line) => reader(JSON.stringify(line)));
  };
  const item = (type: string, given: object) => ({ type, item: given });
  const call = { id: 'i1', type: 'mcp_tool_call', server: 'tserver', tool: 'Read', arguments: { a: 1 } };

  it('is its session, its calls, what came of them, and its last words', () => {
    expect(
      read(
        { type: 'thread.started', thread_id: 's1' },
        { type: 'turn.started' },
        item('item.started', { ...call, status: 'in_progress' }),
        item('item.completed', {
          ...call,
          result: { content: [{ type: 'text', text: 'found' }] },
          error: null,
        }),
        item('item.completed', { id: 'i2', type: 'agent_message', text: 'done' }),
        { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 5 } },
      ),
    ).toEqual([
      { kind: 'session', id: 's1' },
      { kind: 'use', id: 'i1', name: 'tserver/Read', input: { a: 1 }, isNative: false },
      { kind: 'result', id: 'i1', name: 'tserver/Read', isNative: false, hasRun: true, text: 'found' },
      { kind: 'text', text: 'done' },
      { kind: 'usage', input: 10, output: 5 },
      { kind: 'answer', text: 'done' },
    ]);
  });

  it.each([
    {
      id: 'i1',
      type: 'command_execution',
      command: 'touch x',
      aggregated_output: '',
      exit_code: 1,
      status: 'failed',
    },
    { id: 'i1', type: 'file_change', changes: [{ path: 'x', kind: 'add' }], status: 'completed' },
    { id: 'i1', type: 'web_search', query: 'x' },
    { ...call, server: 'other', error: null },
  ])('a tool of its own that ran is $type', (given) => {
    expect(read(item('item.completed', given))).toMatchObject([
      { kind: 'result', isNative: true, hasRun: true },
    ]);
  });

  it('is a failure where its turn failed', () => {
    expect(read({ type: 'turn.failed', error: { message: 'quota' } })).toEqual([
      { kind: 'error', message: 'quota' },
    ]);
  });
});
