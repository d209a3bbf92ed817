import { join } from 'node:path';
import { createCodexReader } from './codex-reader.js';
import { createErrorReader } from './codex-refusals.js';
import {
  type AgentCli,
  coexistence,
  type LaunchPlan,
  type LaunchSettings,
  listOf,
  type PlanFile,
  readJson,
  withoutGit,
  wordsBefore,
} from './launch.js';
import type { NativeLevel } from './native-permissions.js';
import { inNamespace, native } from './natives.js';

const provider = 'tidegate';

/** Features that are tools, add tools or run programs. */
const featuresOff = [
  'shell_tool',
  // Starts a login shell and records the environment.
  'shell_snapshot',
  'unified_exec',
  'view_image',
  'multi_agent',
  'goals',
  'sleep_tool',
  'image_generation',
  'apps',
  'plugins',
  'remote_plugin',
  'hooks',
  'tool_suggest',
  'skill_search',
];

/** Sandbox settings for its own tools. Only these matter, because `exec` never asks. */
const sandbox: Readonly<Record<NativeLevel, readonly string[]>> = {
  read: ['-s', 'read-only'],
  edit: ['-s', 'workspace-write'],
  full: ['--dangerously-bypass-approvals-and-sandbox'],
};

/** Server names its terminal UI uses for its own tools, unless they are taken. */
const screenServers = ['codex_worktrees', 'codex_tui'];

const patch = (trace: string): string => `*** Begin Patch\n*** Add File: ${trace}\n+x\n*** End Patch`;
const shellInput = (trace: string): unknown => ({ cmd: `touch ${trace}`, command: ['touch', trace] });

/** Codex. Flags hide its tools, and a model catalog without capabilities removes them: both are needed. */
export const codex: AgentCli = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  keyEnv: 'OPENAI_API_KEY',
  login: 'codex login',
  // The catalog of this program, never a copy from another version.
  asks: ['debug', 'models', '--bundled'],
  leftovers: [
    'exec',
    'wait',
    'list_mcp_resources',
    'list_mcp_resource_templates',
    'read_mcp_resource',
    'functions/exec',
    'functions/wait',
  ],
  sandboxesCommands: true,
  refusal: /^unsupported (?:custom tool )?call: /,
  addsVersion: false,
  natives: [
    native('exec_command', shellInput),
    native('shell', shellInput),
    native('local_shell', shellInput),
    native('shell_command', (trace) => ({ command: `touch ${trace}` })),
    { name: 'apply_patch', isText: true, input: patch },
    { name: 'apply_patch', namespace: 'functions', isText: true, input: patch },
    native('apply_patch', (trace) => ({ input: patch(trace) })),
    {
      name: 'exec',
      isText: true,
      input: (trace) => `await tools.exec_command({cmd: ${JSON.stringify(`touch ${trace}`)}})`,
    },
    {
      name: 'exec',
      isText: true,
      input: (trace) => `await tools.apply_patch(${JSON.stringify(patch(trace))})`,
    },
    ...(
      'write_stdin update_plan view_image request_user_input request_user_input_async spawn_agent send_input ' +
      'wait_agent close_agent get_goal create_goal update_goal tool_search sleep request_permissions web_search ' +
      'send_user_message_async resume_agent'
    )
      .split(' ')
      .map((name) => native(name)),
    ...inNamespace(
      'collaboration',
      'followup_task interrupt_agent list_agents send_message spawn_agent wait_agent',
    ),
    ...inNamespace('multi_agent_v1', 'close_agent resume_agent send_input spawn_agent wait_agent'),
    ...inNamespace('clock', 'sleep curr_time'),
    { name: 'exec_command', namespace: 'functions', input: shellInput },
    ...inNamespace('functions', 'send_user_message_async update_plan view_image write_stdin'),
  ],
  words: {
    flags: ['--json', '--skip-git-repo-check', '--no-alt-screen', '--last', '--ephemeral'],
    valued: ['-m', '--model', '-i', '--image', '-o', '--output-last-message', '--output-schema', '--color'],
    optional: [],
    model: ['-m', '--model'],
    texts: 'sentence',
    commands: [
      // `exec` has its own subcommands.
      { name: 'exec', texts: 'sentence' },
      { name: 'resume', texts: 'any' },
    ],
  },
  plan,
  createReader: createCodexReader,
  createErrorReader,
};

function plan(settings: LaunchSettings): LaunchPlan {
  const { isIsolated, isProven, model, resume, own } = settings;
  const args = [
    ...(own === undefined ? ['exec', '--json', '--skip-git-repo-check'] : []),
    ...(isIsolated ? isolation(settings) : []),
    ...(isIsolated && !isProven ? ['-s', 'read-only'] : []),
    ...(isIsolated ? [] : sandbox[settings.natives.level]),
    ...set(`mcp_servers.${settings.server}`, serverTable(settings)),
    ...(model === undefined ? [] : ['-m', model]),
    ...endpoint(settings),
    ...words(settings),
    ...(settings.isQuiet
      ? [...set('analytics.enabled', 'false'), ...set('check_for_update_on_startup', 'false')]
      : []),
    ...(own ?? [...(resume === undefined ? [] : ['resume', resume]), '-']),
  ];
  return {
    command: settings.program,
    args,
    env: {
      ...withoutGit(settings),
      // No flag disables the user's configuration in a terminal, so use an empty home.
      ...(isIsolated && own !== undefined && { CODEX_HOME: join(settings.folder, 'codex') }),
    },
    files: isIsolated ? [...catalogue(settings), ...(own === undefined ? [] : login(settings))] : [],
    stdin: settings.prompt,
    isolation: isIsolated ? 'full' : 'additive',
    warnings: coexistence(settings, codex.title),
  };
}

function isolation({ server, folder, own }: LaunchSettings): readonly string[] {
  return [
    ...(own === undefined ? ['--ignore-user-config'] : screen()),
    ...set('agents.enabled', 'false'),
    ...set('tools.experimental_request_user_input.enabled', 'false'),
    ...set('tools.update_plan.enabled', 'false'),
    ...set('web_search', quoted('disabled')),
    // `AGENTS.md` may link to any file of the user, and Codex would follow the link.
    ...set('project_doc_max_bytes', '0'),
    ...set('project_doc_fallback_filenames', '[]'),
    ...['--enable', 'mcp_tool_list_changed'],
    ...set('suppress_unstable_features_warning', 'true'),
    ...featuresOff.flatMap((name) => ['--disable', name]),
    ...set('model_catalog_json', quoted(join(folder, 'models.json'))),
    ...set('features.code_mode.excluded_tool_namespaces', listed(['functions', 'clock'])),
    ...set('features.code_mode.direct_only_tool_namespaces', listed([`mcp__${server}`])),
  ];
}

/** The terminal UI adds tools for worktrees and other tasks, and may run in a shared process. */
function screen(): readonly string[] {
  const disabled = table({ command: quoted('false'), enabled: 'false' });
  return [
    ...['worktrees', 'daemon_auto_start'].flatMap((name) => ['--disable', name]),
    ...screenServers.flatMap((name) => set(`mcp_servers.${name}`, disabled)),
  ];
}

function serverTable({ gatewayCommand }: LaunchSettings): string {
  return table({
    command: quoted(gatewayCommand.command),
    args: listed(gatewayCommand.args),
    required: 'true',
    // Otherwise every tool that is not read-only is denied.
    default_tools_approval_mode: quoted('approve'),
    omit_tools_from: listed(['deferred', 'code_mode']),
  });
}

function endpoint({ endpoint: chosen, isQuiet }: LaunchSettings): readonly string[] {
  if (chosen === undefined) return [];
  const once = { request_max_retries: '0', stream_max_retries: '0' };
  return [
    ...set('model_provider', quoted(provider)),
    ...set(
      `model_providers.${provider}`,
      table({
        name: quoted(provider),
        base_url: quoted(chosen.url),
        env_key: quoted(chosen.keyEnv),
        wire_api: quoted('responses'),
        ...(isQuiet && once),
      }),
    ),
  ];
}

function words(settings: LaunchSettings): readonly string[] {
  const before = wordsBefore(settings);
  return before === undefined ? [] : set('developer_instructions', quoted(before));
}

/** The program's own models, without the capabilities that are tools. */
function catalogue({ asked }: LaunchSettings): readonly PlanFile[] {
  const models = listOf(readJson(asked ?? '')?.['models']).map((model) => ({
    ...model,
    shell_type: 'disabled',
    apply_patch_tool_type: null,
    experimental_supported_tools: [],
    supports_search_tool: false,
    multi_agent_version: 'disabled',
    node_repl_disabled: true,
  }));
  if (models.length === 0) throw new Error('Codex did not list its models: codex debug models --bundled');
  return [{ path: 'models.json', text: JSON.stringify({ models }) }];
}

/** Files needed from the user's home: the login, and sessions to resume. */
function login({ env, userFile }: LaunchSettings): readonly PlanFile[] {
  const home = env['CODEX_HOME'] || join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.codex');
  const file = join(home, 'auth.json');
  return [
    ...(userFile(file) === undefined ? [] : [{ path: 'codex/auth.json', link: file }]),
    { path: 'codex/sessions', link: join(home, 'sessions'), isFolder: true },
  ];
}

/** A command-line setting, in TOML. */
function set(key: string, value: string): readonly string[] {
  return ['-c', `${key}=${value}`];
}

/** TOML basic strings use the same escapes as JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function listed(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(',')}]`;
}

function table(entries: Readonly<Record<string, string>>): string {
  return `{${Object.entries(entries)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')}}`;
}
