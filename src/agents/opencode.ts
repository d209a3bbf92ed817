import { dirname, join } from 'node:path';
import {
  type AgentCli,
  coexistence,
  emptyFolder,
  type Environment,
  type Json,
  type LaunchPlan,
  type LaunchSettings,
  type PlanFile,
  readJson,
  withoutGit,
  whereabouts,
  wordsBefore,
} from './launch.js';
import { native } from './natives.js';
import { opencodeGrant, opencodePermissions } from './opencode-permissions.js';
import { createOpencodeReader, opencodeRefusal } from './opencode-reader.js';

/** User settings that select the model. */
const modelKeys = ['provider', 'model', 'small_model', 'disabled_providers', 'enabled_providers'] as const;
const configFiles = ['opencode.json', 'opencode.jsonc', 'config.json'];
const provider = 'tidegate';

const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
};

/** OpenCode. Two rule sets deny everything but the gateway: for all agents, and for an agent no file can name. */
export const opencode: AgentCli = {
  name: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  // It would continue with an agent that has every tool.
  fatal: /agent ".*" not found/,
  install: 'npm install -g opencode-ai',
  keyEnv: 'OPENAI_API_KEY',
  login: 'opencode auth login',
  leftovers: ['invalid'],
  refusal: opencodeRefusal,
  addsVersion: false,
  grant: opencodeGrant,
  natives: [
    native('bash', (trace) => ({ command: `touch ${trace}`, description: 'x' })),
    native('write', (trace) => ({ filePath: trace, content: 'x' })),
    native('edit', (trace) => ({ filePath: trace, oldString: '', newString: 'x' })),
    native('patch', (trace) => ({ patchText: `*** Begin Patch\n*** Add File: ${trace}\n+x\n*** End Patch` })),
    native('apply_patch', (trace) => ({
      patchText: `*** Begin Patch\n*** Add File: ${trace}\n+x\n*** End Patch`,
    })),
    ...'glob grep read skill task todowrite webfetch list todoread websearch question lsp codesearch batch'
      .split(' ')
      .map((name) => native(name)),
  ],
  words: {
    flags: ['-c', '--continue', '--fork', '--thinking'],
    valued: [
      '-m',
      '--model',
      '-s',
      '--session',
      '--prompt',
      '--format',
      '--title',
      '--variant',
      '--log-level',
    ],
    optional: [],
    model: ['-m', '--model'],
    // A single word would be interpreted as the start folder.
    texts: 'none',
    commands: [{ name: 'run', texts: 'any' }],
  },
  plan,
  createReader: createOpencodeReader,
};

function plan(settings: LaunchSettings): LaunchPlan {
  const { isIsolated, agent, resume, own, model, endpoint } = settings;
  const run = [
    'run',
    '--format',
    'json',
    ...(resume === undefined ? ['--title', 'Tidegate'] : ['-s', resume]),
  ];
  const args = [
    ...(own === undefined ? run : []),
    ...(isIsolated ? ['--pure', '--agent', agent] : []),
    ...(!isIsolated && settings.natives.level === 'full' ? ['--auto'] : []),
    ...(model === undefined || endpoint !== undefined ? [] : ['--model', model]),
    ...(own ?? []),
  ];
  return {
    command: settings.program,
    args,
    env: environment(settings),
    ...(isIsolated && { cwd: launchFolder(settings) }),
    files: isIsolated ? isolatedFiles(settings) : [],
    stdin: settings.prompt,
    isolation: isIsolated ? 'full' : 'additive',
    warnings: coexistence(settings, opencode.title),
  };
}

/**
 * Its own configuration folder. OpenCode imports plugins from its start folder and all parents, regardless of its
 * flags; from this folder it looks no further.
 */
function launchFolder(settings: LaunchSettings): string {
  return emptyFolder(settings, 'opencode');
}

const guidance = 'project.md';

function isolatedFiles(settings: LaunchSettings): readonly PlanFile[] {
  return [
    { path: guidance, text: `${whereabouts(settings)}\n` },
    { path: 'home/.keep', text: '' },
  ];
}

function environment(settings: LaunchSettings): Environment {
  const { isIsolated, isQuiet } = settings;
  return {
    OPENCODE_CONFIG_CONTENT: configText(settings),
    ...(isIsolated && {
      XDG_CONFIG_HOME: dirname(launchFolder(settings)),
      // Its home may contain tools and servers; the login and the sessions are elsewhere.
      ...homes(settings),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      // Each of these could add rules, servers or plugins.
      OPENCODE_CONFIG: undefined,
      OPENCODE_CONFIG_DIR: undefined,
      OPENCODE_PERMISSION: undefined,
      OPENCODE_TUI_CONFIG: undefined,
      ...withoutGit(settings),
    }),
    // Takes precedence over the rules of the user and the project.
    ...(!isIsolated && { OPENCODE_PERMISSION: JSON.stringify(opencodePermissions(settings)) }),
    ...(isQuiet && quiet),
  };
}

/** Default locations, for a program that runs with another home. */
function homes({ env, folder }: LaunchSettings): Environment {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  return {
    HOME: join(folder, 'home'),
    USERPROFILE: join(folder, 'home'),
    XDG_DATA_HOME: env['XDG_DATA_HOME'] || join(home, '.local', 'share'),
    XDG_CACHE_HOME: env['XDG_CACHE_HOME'] || join(home, '.cache'),
    XDG_STATE_HOME: env['XDG_STATE_HOME'] || join(home, '.local', 'state'),
  };
}

/** It expands `{env:…}` and `{file:…}` in its configuration, which must not happen in our text. */
function configText(settings: LaunchSettings): string {
  const { isIsolated, endpoint } = settings;
  const users = isIsolated && endpoint === undefined ? usersModel(settings) : {};
  const own = JSON.stringify(config(settings)).replaceAll(/\{(env|file):/g, '\\u007b$1:');
  const both = [JSON.stringify(users), own].map((text) => text.slice(1, -1)).filter((text) => text !== '');
  return `{${both.join(',')}}`;
}

function config(settings: LaunchSettings): Json {
  const { server, agent, gatewayCommand, isIsolated, endpoint, isQuiet } = settings;
  const rules = { '*': 'deny', [`${server}_*`]: 'allow' };
  const words = wordsBefore(settings);
  const helper = { mode: 'primary', permission: rules, ...(words !== undefined && { prompt: words }) };
  return {
    ...(endpoint !== undefined && ownModel(settings)),
    ...(isQuiet && { autoupdate: false, share: 'disabled' }),
    mcp: {
      [server]: {
        type: 'local',
        command: [gatewayCommand.command, ...gatewayCommand.args],
        environment: {},
        enabled: true,
      },
    },
    // Otherwise a denied call ends it without an answer.
    ...(!isIsolated && { experimental: { continue_loop_on_deny: true } }),
    ...(isIsolated && {
      permission: rules,
      agent: { [agent]: helper },
      instructions: [join(settings.folder, guidance)],
    }),
  };
}

/** An isolated run ignores the user's configuration, except for the model it selects. */
function usersModel({ env, userFile }: LaunchSettings): Json {
  const home = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.config');
  const known = new Map<string, unknown>();
  for (const name of configFiles) {
    const config = readJson(withoutNotes(userFile(join(home, 'opencode', name)) ?? '')) ?? {};
    for (const key of modelKeys) if (key in config) known.set(key, config[key]);
  }
  return Object.fromEntries(known);
}

/** Removes comments and trailing commas, which OpenCode allows in JSON. */
function withoutNotes(text: string): string {
  const notes = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replaceAll(notes, '$1').replaceAll(/("(?:[^"\\]|\\.)*")|,(\s*[}\]])/g, '$1$2');
}

function ownModel({ endpoint, model = 'default', env }: LaunchSettings): Json {
  const name = `${provider}/${model}`;
  const options = { baseURL: endpoint?.url, apiKey: env[endpoint?.keyEnv ?? ''] ?? '' };
  const models = { [model]: { name: model, tool_call: true, limit: { context: 200_000, output: 8192 } } };
  return {
    model: name,
    small_model: name,
    provider: { [provider]: { npm: '@ai-sdk/openai-compatible', name: provider, options, models } },
  };
}
