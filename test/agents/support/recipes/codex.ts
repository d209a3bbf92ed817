import { execFileSync } from 'node:child_process';
import { agentBinary } from '../agent-binary.js';
import type { AgentPlace } from '../agent-place.js';
import { key, type Recipe, type RecipeParts, type Start } from './recipe.js';

export const codexDirect: Recipe = {
  name: 'Codex, direct',
  agent: 'codex',
  format: 'openai-responses',
  start: (parts) => startCodex(parts, 'gpt-5.5'),
  touch: (file) => ({ name: 'exec_command', arguments: { cmd: `touch ${file}` } }),
  leftovers: ['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource'],
};

export const codexByCode: Recipe = {
  name: 'Codex, code mode',
  agent: 'codex',
  format: 'openai-responses',
  start: (parts) => startCodex(parts, 'gpt-6.1-sol'),
  touch: (file) => ({ name: 'exec>exec_command', arguments: { cmd: `touch ${file}` } }),
  leftovers: ['functions/exec', 'functions/wait'],
};

const codexOff = [
  'shell_tool',
  'unified_exec',
  'view_image',
  'multi_agent',
  'goals',
  'sleep_tool',
  'image_generation',
  'hooks',
  'tool_suggest',
  'skill_search',
];

function startCodex({ place, model, isIsolated }: RecipeParts, slug: string): Start {
  const { serverName, serverCommand, home } = place;
  const [command, ...args] = serverCommand;
  const env = { HOME: home, CODEX_HOME: home, PROBE_KEY: key };
  const provider = `{name="probe",base_url="${model.url}",env_key="PROBE_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`;
  const server = `{command="${command}",args=${JSON.stringify(args)},env={},required=true,default_tools_approval_mode="approve",omit_tools_from=["deferred","code_mode"]}`;
  const settings = [
    'model_provider=probe',
    `model_providers.probe=${provider}`,
    `mcp_servers.${serverName}=${server}`,
    'analytics.enabled=false',
    'check_for_update_on_startup=false',
    ...(isIsolated ? codexIsolated(place, slug, env) : []),
  ];
  return {
    command: [
      ...agentBinary('codex'),
      ...['exec', '--json', '--skip-git-repo-check', '--ignore-user-config', '-m', slug],
      ...settings.flatMap((setting) => ['-c', setting]),
      ...['apps', 'plugins', 'remote_plugin'].flatMap((feature) => ['--disable', feature]),
      ...(isIsolated
        ? ['--enable', 'mcp_tool_list_changed', ...codexOff.flatMap((feature) => ['--disable', feature])]
        : []),
      // Also if isolated: calls are then refused without a sandbox.
      '--dangerously-bypass-approvals-and-sandbox',
      '-',
    ],
    env,
  };
}

function codexIsolated(place: AgentPlace, slug: string, env: Start['env']): readonly string[] {
  const isByCode = slug !== 'gpt-5.5';
  const [command, ...args] = agentBinary('codex');
  const bundled = JSON.parse(
    execFileSync(command, [...args, 'debug', 'models', '--bundled'], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { readonly models: readonly object[] };
  const off = {
    shell_type: 'disabled',
    apply_patch_tool_type: null,
    experimental_supported_tools: [],
    supports_search_tool: false,
    multi_agent_version: 'disabled',
    node_repl_disabled: true,
    ...(!isByCode && { tool_mode: 'direct' }),
  };
  const models = bundled.models.map((model) => ({ ...model, ...off }));
  const catalog = place.write('codex-models.json', JSON.stringify({ models }));
  return [
    'agents.enabled=false',
    'tools.experimental_request_user_input.enabled=false',
    'tools.update_plan.enabled=false',
    'web_search="disabled"',
    'suppress_unstable_features_warning=true',
    `model_catalog_json="${catalog}"`,
    ...(isByCode
      ? [
          'features.code_mode.excluded_tool_namespaces=["functions","clock"]',
          `features.code_mode.direct_only_tool_namespaces=["mcp__${place.serverName}"]`,
        ]
      : []),
  ];
}
