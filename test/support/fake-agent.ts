import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const main = new URL('fake-agent.main.mjs', import.meta.url).href;

export interface FakeAgentSpec {
  readonly cli: 'claude' | 'gemini' | 'codex' | 'opencode';
  /** What it prints, as JSON lines. SERVER is the name that the gate has for it. */
  readonly lines: readonly object[];
  /** What it prints while it is tried. It asks no model, so nothing can be proven then. */
  readonly trialLines?: readonly object[];
  /** It only tells what it was given, and waits. */
  readonly stays?: boolean;
}

/** How it was started. */
export interface FakeStart {
  readonly isTrial: boolean;
  readonly server: string;
  readonly args: readonly string[];
  readonly command: string;
  readonly words: readonly string[];
}

export interface FakeAgent {
  readonly program: string;
  starts(): readonly FakeStart[];
}

/** A program that stands in for an agent CLI. */
export function writeFakeAgent(folder: string, name: string, spec: FakeAgentSpec): FakeAgent {
  const program = join(folder, name);
  const log = `${program}.log`;
  const text = `#!${process.execPath}\nimport(${JSON.stringify(main)}).then(({ act }) => act(${JSON.stringify({ ...spec, log })}));\n`;
  writeFileSync(program, text);
  chmodSync(program, 0o755);
  return {
    program,
    starts: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as FakeStart)
        : [],
  };
}

type Line = Readonly<Record<string, unknown>>;

/** What each CLI prints when a tool of its own ran, and then its answer. `isRefused`: it had no such tool. */
export function nativeLines(cli: FakeAgentSpec['cli'], isRefused = false): readonly Line[] {
  switch (cli) {
    case 'claude':
      return [
        ...claudeStart,
        claudeSays({ type: 'tool_use', id: 'u1', name: 'Bash', input: { command: 'touch x' } }),
        {
          type: 'user',
          message: {
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'u1',
                content: isRefused
                  ? '<tool_use_error>Error: No such tool available: Bash</tool_use_error>'
                  : '',
                ...(isRefused && { is_error: true }),
              },
            ],
          },
        },
        ...answerLines('claude').slice(1),
      ];
    case 'gemini':
      return [
        { type: 'init', session_id: 's1', model: 'm' },
        {
          type: 'tool_use',
          tool_name: 'run_shell_command',
          tool_id: 'u1',
          parameters: { command: 'touch x' },
        },
        isRefused
          ? {
              type: 'tool_result',
              tool_id: 'u1',
              status: 'error',
              error: { type: 'tool_not_registered', message: 'none' },
            }
          : { type: 'tool_result', tool_id: 'u1', status: 'success', output: '' },
        ...answerLines('gemini').slice(1),
      ];
    case 'codex':
      // What it refuses it does not tell.
      return isRefused
        ? answerLines('codex')
        : [
            { type: 'thread.started', thread_id: 's1' },
            codexItem('item.started', 'in_progress'),
            codexItem('item.completed', 'completed'),
            ...answerLines('codex').slice(1),
          ];
    case 'opencode':
      return [
        {
          type: 'tool_use',
          sessionID: 's1',
          part: {
            tool: 'bash',
            callID: 'u1',
            state: isRefused
              ? { status: 'error', input: {}, error: "Model tried to call unavailable tool 'bash'." }
              : { status: 'completed', input: { command: 'touch x' }, output: '' },
          },
        },
        ...answerLines('opencode'),
      ];
  }
}

/** A run without any tool. */
export function answerLines(cli: FakeAgentSpec['cli'], said = 'all done'): readonly Line[] {
  switch (cli) {
    case 'claude':
      return [
        ...claudeStart,
        claudeSays({ type: 'text', text: said }),
        {
          type: 'result',
          subtype: 'success',
          is_error: false,
          result: said,
          usage: { input_tokens: 10, output_tokens: 5 },
          total_cost_usd: 0.25,
        },
      ];
    case 'gemini':
      return [
        { type: 'init', session_id: 's1', model: 'm' },
        { type: 'message', role: 'assistant', content: said, delta: true },
        { type: 'result', status: 'success', stats: { input_tokens: 10, output_tokens: 5 } },
      ];
    case 'codex':
      return [
        { type: 'thread.started', thread_id: 's1' },
        { type: 'item.completed', item: { id: 'i2', type: 'agent_message', text: said } },
        { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 5 } },
      ];
    case 'opencode':
      return [
        { type: 'text', sessionID: 's1', part: { text: said } },
        {
          type: 'step_finish',
          sessionID: 's1',
          part: {
            reason: 'stop',
            tokens: { input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } },
            cost: 0,
          },
        },
      ];
  }
}

const claudeStart: readonly Line[] = [
  {
    type: 'system',
    subtype: 'init',
    session_id: 's1',
    tools: ['mcp__SERVER__Read'],
    mcp_servers: [{ name: 'SERVER', status: 'connected' }],
  },
];

function claudeSays(block: object): Line {
  return { type: 'assistant', message: { role: 'assistant', content: [block] } };
}

function codexItem(type: string, status: string): Line {
  const item = {
    id: 'i1',
    type: 'command_execution',
    command: 'touch x',
    aggregated_output: '',
    exit_code: 0,
    status,
  };
  return { type, item };
}
