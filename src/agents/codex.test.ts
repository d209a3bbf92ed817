import { describe, expect, it } from 'vitest';
import { codex } from './codex.js';
import { mitigation } from './launch.js';
import { noGit, otherModel, planSettings } from './plan-settings.fixture.js';

const asked = JSON.stringify({
  models: [{ slug: 'm', shell_type: 'shell', apply_patch_tool_type: 'freeform' }],
});
const server =
  'mcp_servers.tserver={command="/bin/node",args=["/t.js","mcp-serve","--config","/s/t.json"],required=true,' +
  'default_tools_approval_mode="approve",omit_tools_from=["deferred","code_mode"]}';

describe('the launch plan of Codex', () => {
  it('isolates it with flags and a model catalog without capabilities', () => {
    const { args, files, env, stdin, isolation } = codex.plan(planSettings({ asked }));
    const off =
      'shell_tool shell_snapshot unified_exec view_image multi_agent goals sleep_tool image_generation apps plugins remote_plugin ' +
      'hooks tool_suggest skill_search';
    expect(args).toEqual([
      ...['exec', '--json', '--skip-git-repo-check', '--ignore-user-config'],
      ...['-c', 'agents.enabled=false', '-c', 'tools.experimental_request_user_input.enabled=false'],
      ...[
        '-c',
        'tools.update_plan.enabled=false',
        '-c',
        'web_search="disabled"',
        '-c',
        'project_doc_max_bytes=0',
        '-c',
        'project_doc_fallback_filenames=[]',
      ],
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
    expect([env, stdin, isolation]).toEqual([noGit, 'say "hi" there\n', 'full']);
  });

  it('uses another home in a terminal, without the tools of its UI', () => {
    const { args, files, env } = codex.plan(planSettings({ asked, own: ['exec', 'say hi'] }));
    expect(args.slice(-2)).toEqual(['exec', 'say hi']);
    const text = args.join(' ');
    expect(text).not.toContain('--ignore-user-config');
    for (const name of ['worktrees', 'daemon_auto_start']) expect(text).toContain(`--disable ${name} `);
    for (const name of ['codex_worktrees', 'codex_tui'])
      expect(args).toContain(`mcp_servers.${name}={command="false",enabled=false}`);
    expect(env).toEqual({ ...noGit, CODEX_HOME: '/launch/codex' });
    expect(files.slice(1)).toEqual([
      { path: 'codex/sessions', link: '/home/u/.codex/sessions', isFolder: true },
    ]);
  });

  it('fails without a catalog, because flags alone leave apply_patch', () => {
    expect(() => codex.plan(planSettings())).toThrow('did not list its models');
    expect(() => codex.plan(planSettings({ asked: '{"models":[]}' }))).toThrow('did not list its models');
  });

  it('only adds the gateway if it keeps its own tools', () => {
    const { args, files } = codex.plan(planSettings({ isIsolated: false }));
    const edits = ['-s', 'workspace-write'];
    expect(args).toEqual(['exec', '--json', '--skip-git-repo-check', ...edits, '-c', server, '-']);
    expect(files).toEqual([]);
  });

  it.each([
    ['read', ['-s', 'read-only']],
    ['full', ['--dangerously-bypass-approvals-and-sandbox']],
  ] as const)('[16.18] sets the sandbox for native_permissions: %s, before resume', (level, words) => {
    const natives = { level, allowed: [] };
    const { args } = codex.plan(planSettings({ isIsolated: false, natives, resume: 's1' }));
    expect(args.slice(3, 3 + words.length)).toEqual(words);
    // The control.
    expect(codex.plan(planSettings({ asked, natives })).args).not.toContain(words.at(-1));
  });

  it('[16.18] reads denied patches from standard error', () => {
    const read = codex.createErrorReader?.() ?? (() => []);
    const said =
      'patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings';
    expect(read(`2026-11-17T23:57:06Z ERROR codex_core::tools::router: error=${said}`)).toEqual([
      {
        kind: 'result',
        id: 'refused_1',
        name: 'apply_patch',
        isNative: true,
        hasRun: false,
        isRefused: true,
        text: said,
      },
    ]);
    expect(read('ERROR codex_core::tools::router: error=Exit code: 1')).toEqual([]);
  });

  it('sets model, system prompt and endpoint, all before resume', () => {
    const more = { asked, model: 'm', system: 'say "x"\n', resume: 's1', endpoint: otherModel };
    const { args } = codex.plan(planSettings(more));
    expect(args.slice(-3)).toEqual(['resume', 's1', '-']);
    expect(args).toContain('developer_instructions="say \\"x\\"\\n"');
    expect(args).toContain(
      'model_providers.tidegate={name="tidegate",base_url="http://127.0.0.1:1/v1",env_key="KEY",wire_api="responses"}',
    );
    expect(args.join(' ')).not.toContain('secret-key');
  });

  it('uses a read-only sandbox and warns if isolation is unverified', () => {
    const { args, warnings } = codex.plan(planSettings({ asked, isProven: false }));
    expect(args.slice(args.indexOf('-s')).slice(0, 2)).toEqual(['-s', 'read-only']);
    expect(args).toContain(`developer_instructions=${JSON.stringify(mitigation('tserver'))}`);
    expect(warnings).toHaveLength(1);
    // The control.
    expect(codex.plan(planSettings({ asked })).args).not.toContain('-s');
  });
});

describe('the output of Codex', () => {
  const read = (...lines: readonly object[]) => {
    const reader = codex.createReader('tserver');
    return lines.flatMap((line) => reader(JSON.stringify(line)));
  };
  const item = (type: string, given: object) => ({ type, item: given });
  const call = { id: 'i1', type: 'mcp_tool_call', server: 'tserver', tool: 'Read', arguments: { a: 1 } };

  it('is parsed into session, calls, results and answer', () => {
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
  ])('reports its own tool of type $type', (given) => {
    expect(read(item('item.completed', given))).toMatchObject([
      { kind: 'result', isNative: true, hasRun: true },
    ]);
  });

  it('is a failure if its turn failed', () => {
    expect(read({ type: 'turn.failed', error: { message: 'quota' } })).toEqual([
      { kind: 'error', message: 'quota' },
    ]);
  });
});
