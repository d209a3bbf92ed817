import { join } from 'node:path';
import {
  type AgentCli,
  asJson,
  type CliEvent,
  coexistence,
  type Json,
  type LaunchPlan,
  type LaunchSettings,
  listOf,
  numberIn,
  readJson,
  textIn,
  withoutGit,
  wordsBefore,
} from './launch.js';
import { type NativePermissions, writtenTool } from './native-permissions.js';
import { native } from './natives.js';

const quiet = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

/** Claude Code. Flags are enough to isolate it, so it keeps the user's home and login. */
export const claude: AgentCli = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  keyEnv: 'ANTHROPIC_API_KEY',
  login: 'claude auth login',
  addressEnv: 'ANTHROPIC_BASE_URL',
  grant: (tool) => ({ name: writtenTool(tool) }),
  // It passes the text on as an attachment, and attachments are off.
  hidesGuidanceAs: 'claude-code',
  // A placeholder for tools that are shown later; it cannot be called.
  leftovers: ['DeferredToolPlaceholder'],
  refusal: /No such tool available/,
  addsVersion: true,
  natives: [
    native('Bash', (trace) => ({ command: `touch ${trace}`, description: 'x' })),
    native('Write', (trace) => ({ file_path: trace, content: 'x' })),
    native('PowerShell', (trace) => ({ command: `touch ${trace}` })),
    native('Monitor', (trace) => ({ command: `touch ${trace}`, description: 'x' })),
    native('Edit', (trace) => ({ file_path: trace, old_string: '', new_string: 'x' })),
    ...(
      'Agent Task CronCreate EnterWorktree ListAgents NotebookEdit Read ReportFindings ScheduleWakeup SendMessage ' +
      'Skill TaskCreate TaskStop ToolSearch WebFetch WebSearch Workflow Glob Grep ListMcpResourcesTool ' +
      'ReadMcpResourceTool AskUserQuestion ExitPlanMode DeferredToolPlaceholder'
    )
      .split(' ')
      .map((name) => native(name)),
  ],
  words: {
    flags: [
      '-p',
      '--print',
      '-c',
      '--continue',
      '--verbose',
      '--fork-session',
      '--include-partial-messages',
      '--no-session-persistence',
    ],
    valued: [
      '--model',
      '--fallback-model',
      '-r',
      '--resume',
      '--session-id',
      '-n',
      '--name',
      '--output-format',
      '--max-turns',
      '--effort',
      '--append-system-prompt',
      '--system-prompt',
      '--json-schema',
    ],
    optional: ['-r', '--resume'],
    model: ['--model'],
    texts: 'sentence',
    commands: [],
  },
  plan,
  createReader,
};

const appended = '--append-system-prompt';
const isAppended = (word: string): boolean => word === appended || word.startsWith(`${appended}=`);

/** If a flag appears twice the last one wins, so the user's text and ours are merged. */
function withInstructions(own: readonly string[], words: string | undefined): readonly string[] {
  if (words === undefined) return own;
  return own.map((word, at) => {
    if (own[at - 1] === appended || word.startsWith(`${appended}=`)) return `${word}\n\n${words}`;
    return word;
  });
}

function plan(settings: LaunchSettings): LaunchPlan {
  const { server, isIsolated, folder, gatewayCommand, model, resume, own, endpoint } = settings;
  const config = join(folder, 'mcp.json');
  const words = wordsBefore(settings);
  const servers = {
    [server]: {
      type: 'stdio',
      command: gatewayCommand.command,
      args: gatewayCommand.args,
      env: {},
      alwaysLoad: true,
    },
  };
  const args = [
    // First, because our flags that take several values would swallow these.
    ...(own === undefined
      ? ['-p', '--output-format', 'stream-json', '--verbose']
      : withInstructions(own, words)),
    ...['--mcp-config', config],
    ...(isIsolated ? ['--strict-mcp-config', '--tools', '', '--setting-sources', ''] : []),
    ...(isIsolated ? [] : permissions(settings)),
    ...['--allowedTools', `mcp__${server}`, ...(isIsolated ? [] : allowed(settings))],
    ...(model === undefined ? [] : ['--model', model]),
    ...(words === undefined || own?.some(isAppended) === true ? [] : [appended, words]),
    ...(resume === undefined ? [] : ['--resume', resume]),
  ];
  return {
    command: settings.program,
    args,
    env: {
      // Set inside a Claude Code session, which refuses to start another one.
      CLAUDECODE: undefined,
      CLAUDE_CODE_ENTRYPOINT: undefined,
      ...withoutGit(settings),
      // Otherwise it reads `@path` in a prompt itself, even outside the roots.
      ...(isIsolated && { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }),
      ...(endpoint && { ANTHROPIC_BASE_URL: endpoint.url, ANTHROPIC_API_KEY: settings.env[endpoint.keyEnv] }),
      ...(settings.isQuiet && quiet),
    },
    files: [{ path: 'mcp.json', text: JSON.stringify({ mcpServers: servers }) }],
    stdin: settings.prompt,
    isolation: isIsolated ? 'full' : 'additive',
    warnings: coexistence(settings, claude.title),
  };
}

const writers = ['Edit', 'Write', 'NotebookEdit'];

function permissions({ natives, isRoot }: LaunchSettings): readonly string[] {
  if (natives.level === 'read') return ['--permission-mode', 'dontAsk', ...forbidden(natives)];
  // Claude Code refuses to skip permissions for root: allowing all tools has the same effect.
  if (natives.level === 'edit' || isRoot === true) return ['--permission-mode', 'acceptEdits'];
  return ['--dangerously-skip-permissions'];
}

/** Tools that rules in the user's settings might allow. */
function forbidden({ allowed: listed }: NativePermissions): readonly string[] {
  const names = writers.filter((name) => !listed.some((tool) => tool.name === name));
  return names.length === 0 ? [] : ['--disallowedTools', ...names];
}

function allowed({ natives: { level, allowed: listed }, isRoot }: LaunchSettings): readonly string[] {
  const all = level === 'full' && isRoot === true ? claude.natives.map(({ name }) => name) : [];
  return [...all, ...listed.map(writtenTool)];
}

function createReader(server: string): (line: string) => readonly CliEvent[] {
  const prefix = `mcp__${server}__`;
  const names = new Map<string, string>();
  const isNative = (name: string): boolean => !name.startsWith(prefix);

  function blocks(event: Json): readonly CliEvent[] {
    return listOf(asJson(event['message'])?.['content']).flatMap((block): readonly CliEvent[] => {
      if (block['type'] === 'text') return [{ kind: 'text', text: textIn(block['text']) }];
      if (block['type'] === 'tool_use') {
        const [id, name] = [textIn(block['id']), textIn(block['name'])];
        names.set(id, name);
        return [{ kind: 'use', id, name, input: block['input'], isNative: isNative(name) }];
      }
      if (block['type'] !== 'tool_result') return [];
      const id = textIn(block['tool_use_id']);
      const name = names.get(id) ?? '';
      const hasRun = block['is_error'] !== true || decisionOn(event, id) === 'accept';
      const text = contentText(block['content']);
      const isRefused = !hasRun && (decisionOn(event, id) === 'reject' || claude.refusal.test(text));
      return [
        {
          kind: 'result',
          id,
          name,
          isNative: isNative(name),
          hasRun,
          ...(isRefused && { isRefused }),
          text,
        },
      ];
    });
  }

  return (line) => {
    const event = readJson(line);
    if (event === undefined) return [];
    if (event['type'] === 'system' && event['subtype'] === 'init') return started(event, server);
    if (event['type'] === 'system' && event['subtype'] === 'api_retry') return [askedAgain(event)];
    if (event['type'] === 'assistant') return blocks(event);
    // Ignore the user's own text.
    if (event['type'] === 'user') return blocks(event).filter(({ kind }) => kind === 'result');
    return event['type'] === 'result' ? ended(event) : [];
  };
}

/** A failed call may have had effects: it ran if it was approved. */
function decisionOn(event: Json, id: string): unknown {
  const meta = listOf(event['tool_result_meta']).find((one) => one['id'] === id);
  return asJson(meta?.['permission_decision'])?.['decision'];
}

function started(event: Json, server: string): readonly CliEvent[] {
  const tools = Array.isArray(event['tools']) ? event['tools'].map(textIn) : [];
  const ours = listOf(event['mcp_servers']).find(({ name }) => name === server);
  return [
    { kind: 'session', id: textIn(event['session_id']) },
    { kind: 'offered', tools, isConnected: ours !== undefined && ours['status'] !== 'failed' },
  ];
}

function askedAgain(event: Json): CliEvent {
  const { error_status: status, attempt, max_retries: most } = event;
  // Without a response it reports no reason.
  const why = typeof status === 'number' ? `status ${String(status)}` : 'no answer';
  return {
    kind: 'retry',
    reason: `${why}, attempt ${String(numberIn(attempt))} of ${String(numberIn(most))}`,
    waitMs: numberIn(event['retry_delay_ms']),
    ...(typeof status === 'number' && { status }),
  };
}

function ended(event: Json): readonly CliEvent[] {
  const usage = asJson(event['usage']) ?? {};
  const input = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const result = textIn(event['result']);
  return [
    {
      kind: 'usage',
      input: input.reduce((sum, key) => sum + numberIn(usage[key]), 0),
      output: numberIn(usage['output_tokens']),
      cost: numberIn(event['total_cost_usd']),
    },
    event['is_error'] === true
      ? { kind: 'error', message: result || textIn(event['subtype']) || 'no reason given' }
      : { kind: 'answer', text: result },
  ];
}

function contentText(content: unknown): string {
  return typeof content === 'string'
    ? content
    : listOf(content)
        .map((one) => textIn(one['text']))
        .join('\n');
}
