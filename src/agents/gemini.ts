import { join } from 'node:path';
import { geminiGrant, geminiPermissions, geminiPolicy } from './gemini-permissions.js';
import {
  type AgentCli,
  asJson,
  type CliEvent,
  coexistence,
  emptyFolder,
  type Environment,
  type Json,
  type LaunchPlan,
  type LaunchSettings,
  numberIn,
  type PlanFile,
  readJson,
  textIn,
  withoutGit,
  whereabouts,
  wordsBefore,
} from './launch.js';
import { native } from './natives.js';

/** Login files of Gemini CLI. */
const loginFiles = ['oauth_creds.json', 'google_accounts.json', 'installation_id', 'mcp-oauth-tokens.json'];
const home = '.gemini';

/** Gemini CLI. It reads servers only from a settings file, so it gets its own home with the user's login. */
export const gemini: AgentCli = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  keyEnv: 'GEMINI_API_KEY',
  login: 'run gemini once and choose how to log in, or set GEMINI_API_KEY',
  addressEnv: 'GOOGLE_GEMINI_BASE_URL',
  grant: geminiGrant,
  leftovers: [],
  refusal: /^Tool ".*" not found/,
  addsVersion: true,
  natives: [
    native('run_shell_command', (trace) => ({ command: `touch ${trace}`, description: 'x' })),
    native('write_file', (trace) => ({ file_path: trace, content: 'x' })),
    native('replace', (trace) => ({ file_path: trace, old_string: '', new_string: 'x', instruction: 'x' })),
    native('save_memory', () => ({ fact: 'x' })),
    ...(
      'update_topic list_directory read_file grep_search glob google_web_search enter_plan_mode invoke_agent ' +
      'web_fetch write_todos ask_user activate_skill read_many_files list_background_processes ' +
      'read_background_output'
    )
      .split(' ')
      .map((name) => native(name)),
  ],
  words: {
    flags: ['-d', '--debug', '--screen-reader', '--list-sessions'],
    valued: [
      '-m',
      '--model',
      '-p',
      '--prompt',
      '-i',
      '--prompt-interactive',
      '-o',
      '--output-format',
      '-r',
      '--resume',
      '--session-id',
    ],
    optional: [],
    model: ['-m', '--model'],
    texts: 'sentence',
    commands: [],
  },
  plan,
  createReader,
};

function plan(settings: LaunchSettings): LaunchPlan {
  const { server, isIsolated, folder, model, resume, own } = settings;
  const args = [
    // First, because our flags that take lists might swallow these.
    ...(own ?? ['-o', 'stream-json']),
    // Ignore project settings: they could define a server with our name.
    '--skip-trust',
    ...(isIsolated
      ? ['--allowed-mcp-server-names', server, '-e', 'none', '--admin-policy', join(folder, 'policy.toml')]
      : geminiPermissions(settings)),
    ...(model === undefined ? [] : ['-m', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
  ];
  return {
    command: settings.program,
    args,
    env: environment(settings),
    // There it reads `GEMINI.md` and `@` paths in prompts, follows links and includes hidden files.
    ...(isIsolated && { cwd: emptyFolder(settings, 'gemini') }),
    files: [
      { path: `${home}/settings.json`, text: JSON.stringify(geminiSettings(settings)) },
      ...(isIsolated ? [{ path: 'policy.toml', text: policy(server) }] : geminiPolicy(settings)),
      ...guidance(settings),
      ...links(settings),
    ],
    stdin: settings.prompt,
    isolation: isIsolated ? 'full' : 'additive',
    warnings: coexistence(settings, gemini.title),
  };
}

/** Its memory file, in which it would replace `@path` with file contents. */
function guidance(settings: LaunchSettings): readonly PlanFile[] {
  const words = wordsBefore(settings);
  const both = [
    ...(settings.isIsolated ? [whereabouts(settings)] : []),
    ...(words === undefined ? [] : [words]),
  ];
  if (both.length === 0) return [];
  const text = both.join('\n\n');
  return [
    { path: `${home}/GEMINI.md`, text: `${settings.isIsolated ? text.replaceAll('@', '\\@') : text}\n` },
  ];
}

function environment(settings: LaunchSettings): Environment {
  const { folder, endpoint, env } = settings;
  return {
    ...withoutGit(settings),
    GEMINI_CLI_HOME: folder,
    // Otherwise it restarts itself, and signals reach only the first process.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    // Would let project settings override ours.
    GEMINI_CLI_TRUST_WORKSPACE: undefined,
    ...(endpoint && { GOOGLE_GEMINI_BASE_URL: endpoint.url, GEMINI_API_KEY: env[endpoint.keyEnv] }),
  };
}

function userHome({ env }: LaunchSettings): string {
  return join(env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? env['USERPROFILE'] ?? '', home);
}

function geminiSettings(settings: LaunchSettings): Json {
  const { server, isIsolated, gatewayCommand, endpoint, isQuiet, userFile, env } = settings;
  const users = readJson(userFile(join(userHome(settings), 'settings.json')) ?? '') ?? {};
  const { security, model, privacy, telemetry, general } = users;
  const login = asJson(asJson(security)?.['auth'])?.['selectedType'];
  const withKey =
    endpoint !== undefined || env['GEMINI_API_KEY'] !== undefined ? 'gemini-api-key' : undefined;
  const selectedType = endpoint === undefined ? (login ?? withKey) : withKey;
  return {
    ...(!isIsolated && users),
    // Keep the user's login method, model and telemetry settings.
    ...(model !== undefined && { model }),
    general: isQuiet
      ? { enableAutoUpdate: false, enableAutoUpdateNotification: false }
      : pick(general, ['enableAutoUpdate', 'enableAutoUpdateNotification', 'disableAutoUpdate']),
    privacy: isQuiet ? { usageStatisticsEnabled: false } : (asJson(privacy) ?? {}),
    telemetry: isQuiet ? { enabled: false } : (asJson(telemetry) ?? {}),
    ...(selectedType !== undefined && { security: { auth: { selectedType } } }),
    // The project's `.env` could send the API key elsewhere.
    ...(isIsolated && { advanced: { ignoreLocalEnv: true } }),
    // Without markers it looks for `GEMINI.md` only in the empty folder, not in its parents.
    ...(isIsolated && { context: { memoryBoundaryMarkers: [] } }),
    mcpServers: {
      ...(!isIsolated && asJson(users['mcpServers'])),
      [server]: {
        command: gatewayCommand.command,
        args: gatewayCommand.args,
        env: {},
        ...(!isIsolated && { trust: true }),
      },
    },
  };
}

function pick(value: unknown, keys: readonly string[]): Json {
  const given = asJson(value) ?? {};
  return Object.fromEntries(keys.flatMap((key) => (key in given ? [[key, given[key]] as const] : [])));
}

/** Allows only tools from the gateway, so no other tool is even shown. */
function policy(server: string): string {
  const rule = (of: string, decision: string, priority: number): string =>
    `[[rule]]\n${of}toolName = "*"\ndecision = "${decision}"\npriority = ${String(priority)}\n`;
  return `${rule('', 'deny', 1)}\n${rule(`mcpName = "${server}"\n`, 'allow', 999)}`;
}

/** Error kinds that mean the call was denied. */
const refusals: readonly unknown[] = ['tool_not_registered', 'policy_violation', 'path_not_in_workspace'];

function links(settings: LaunchSettings): readonly PlanFile[] {
  const from = userHome(settings);
  const login = loginFiles.filter((name) => settings.userFile(join(from, name)) !== undefined);
  return [
    ...login.map((name) => ({ path: `${home}/${name}`, link: join(from, name) })),
    // Sessions, for a later launch.
    { path: `${home}/tmp`, link: settings.keep },
  ];
}

function createReader(server: string): (line: string) => readonly CliEvent[] {
  const prefix = `mcp_${server}_`;
  const names = new Map<string, string>();
  const isNative = (name: string): boolean => !name.startsWith(prefix);
  let answer = '';

  function result(event: Json): readonly CliEvent[] {
    const id = textIn(event['tool_id']);
    const name = names.get(id) ?? '';
    const error = asJson(event['error']);
    return [
      {
        kind: 'result',
        id,
        name,
        isNative: isNative(name),
        hasRun: event['status'] === 'success',
        ...(refusals.includes(error?.['type']) && { isRefused: true }),
        text: textIn(event['output']) || textIn(error?.['message']),
      },
    ];
  }

  return (line) => {
    const event = readJson(line);
    if (event === undefined) return [];
    switch (event['type']) {
      case 'init':
        return [{ kind: 'session', id: textIn(event['session_id']) }];
      case 'message': {
        if (event['role'] !== 'assistant') return [];
        answer += textIn(event['content']);
        return [{ kind: 'text', text: textIn(event['content']) }];
      }
      case 'tool_use': {
        const [id, name] = [textIn(event['tool_id']), textIn(event['tool_name'])];
        names.set(id, name);
        answer = '';
        return [{ kind: 'use', id, name, input: event['parameters'], isNative: isNative(name) }];
      }
      case 'tool_result':
        return result(event);
      case 'error':
        return event['severity'] === 'warning' ? [] : [{ kind: 'error', message: textIn(event['message']) }];
      case 'result':
        return ended(event, answer);
      default:
        return [];
    }
  };
}

function ended(event: Json, answer: string): readonly CliEvent[] {
  const stats = asJson(event['stats']) ?? {};
  const usage: CliEvent = {
    kind: 'usage',
    input: numberIn(stats['input_tokens']),
    output: numberIn(stats['output_tokens']),
  };
  if (event['status'] === 'success') return [usage, { kind: 'answer', text: answer }];
  const message = textIn(asJson(event['error'])?.['message']) || 'no reason given';
  return [usage, { kind: 'error', message }];
}
