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
  wordsBefore,
} from './launch.js';
import { native } from './natives.js';

const quiet = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

/** Claude Code. Its flags alone isolate it: the user's home stays where it is, and with it the login. */
export const claude: AgentCli = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  keyEnv: 'ANTHROPIC_API_KEY',
  login: 'claude auth login',
  addressEnv: 'ANTHROPIC_BASE_URL',
  // Stands for tools that are shown later; nothing answers to it.
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
      '--input-format',
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

function plan(settings: LaunchSettings): LaunchPlan {
  const { server, isIsolated, folder, gate, model, resume, own, endpoint } = settings;
  const config = join(folder, 'mcp.json');
  const words = wordsBefore(settings);
  const servers = {
    [server]: { type: 'stdio', command: gate.command, args: gate.args, env: {}, alwaysLoad: true },
  };
  const args = [
    // First: a flag of ours that takes several words would swallow them.
    ...(own ?? ['-p', '--output-format', 'stream-json', '--verbose']),
    ...['--mcp-config', config],
    ...(isIsolated ? ['--strict-mcp-config', '--tools', '', '--setting-sources', ''] : []),
    ...['--allowedTools', `mcp__${server}`],
    ...(model === undefined ? [] : ['--model', model]),
    ...(words === undefined ? [] : ['--append-system-prompt', words]),
    ...(resume === undefined ? [] : ['--resume', resume]),
  ];
  return {
    command: settings.program,
    args,
    env: {
      // Set inside a session of Claude Code, which would not start another one.
      CLAUDECODE: undefined,
      CLAUDE_CODE_ENTRYPOINT: undefined,
      // `@path` in a prompt would be read by a tool of its own.
      ...(isIsolated && own === undefined && { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }),
      ...(endpoint && { ANTHROPIC_BASE_URL: endpoint.url, ANTHROPIC_API_KEY: settings.env[endpoint.keyEnv] }),
      ...(settings.isQuiet && quiet),
    },
    files: [{ path: 'mcp.json', text: JSON.stringify({ mcpServers: servers }) }],
    stdin: settings.prompt,
    isolation: isIsolated ? 'full' : 'additive',
    warnings: coexistence(settings, claude.title),
  };
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
      const hasRun = block['is_error'] !== true || isAccepted(event, id);
      return [
        { kind: 'result', id, name, isNative: isNative(name), hasRun, text: contentText(block['content']) },
      ];
    });
  }

  return (line) => {
    const event = readJson(line);
    if (event === undefined) return [];
    if (event['type'] === 'system' && event['subtype'] === 'init') return started(event, server);
    if (event['type'] === 'system' && event['subtype'] === 'api_retry') return [askedAgain(event)];
    if (event['type'] === 'assistant') return blocks(event);
    // What the user said is not what the agent says.
    if (event['type'] === 'user') return blocks(event).filter(({ kind }) => kind === 'result');
    return event['type'] === 'result' ? ended(event) : [];
  };
}

/** A call that failed may have done something before: it ran, where it was approved of. */
function isAccepted(event: Json, id: string): boolean {
  const meta = listOf(event['tool_result_meta']).find((one) => one['id'] === id);
  return asJson(meta?.['permission_decision'])?.['decision'] === 'accept';
}

function started(event: Json, server: string): readonly CliEvent[] {
  const tools = Array.isArray(event['tools']) ? event['tools'].map(textIn) : [];
  const ours = listOf(event['mcp_servers']).find(({ name }) => name === server);
  return [
    { kind: 'session', id: textIn(event['session_id']) },
    { kind: 'offered', tools, isGateThere: ours !== undefined && ours['status'] !== 'failed' },
  ];
}

function askedAgain(event: Json): CliEvent {
  const { error_status: status, attempt, max_retries: most } = event;
  // It knows no reason where nobody answered.
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
  const said = textIn(event['result']);
  return [
    {
      kind: 'usage',
      input: input.reduce((sum, key) => sum + numberIn(usage[key]), 0),
      output: numberIn(usage['output_tokens']),
      cost: numberIn(event['total_cost_usd']),
    },
    event['is_error'] === true
      ? { kind: 'error', message: said || textIn(event['subtype']) || 'it gave no reason' }
      : { kind: 'answer', text: said },
  ];
}

function contentText(content: unknown): string {
  return typeof content === 'string'
    ? content
    : listOf(content)
        .map((one) => textIn(one['text']))
        .join('\n');
}
