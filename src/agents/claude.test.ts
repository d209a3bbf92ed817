import { describe, expect, it } from 'vitest';
import { claude } from './claude.js';
import { type LaunchSettings, mitigation } from './launch.js';
import { noGit, otherModel, planSettings } from './plan-settings.fixture.js';

const config = ['--mcp-config', '/launch/mcp.json'];
const allowed = ['--allowedTools', 'mcp__tserver'];

describe('the launch plan of Claude Code', () => {
  it('isolates it with flags and sends the prompt on standard input', () => {
    const plan = claude.plan(planSettings());
    expect(plan).toEqual({
      command: '/bin/agent',
      args: [
        ...['-p', '--output-format', 'stream-json', '--verbose', ...config],
        ...['--strict-mcp-config', '--tools', '', '--setting-sources', '', ...allowed],
      ],
      env: {
        CLAUDECODE: undefined,
        CLAUDE_CODE_ENTRYPOINT: undefined,
        ...noGit,
        CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
      },
      files: [
        {
          path: 'mcp.json',
          text: JSON.stringify({
            mcpServers: {
              tserver: {
                type: 'stdio',
                command: '/bin/node',
                args: ['/t.js', 'mcp-serve', '--config', '/s/t.json'],
                env: {},
                alwaysLoad: true,
              },
            },
          }),
        },
      ],
      stdin: 'say "hi" there\n',
      isolation: 'full',
      warnings: [],
    });
  });

  it('only adds the gateway if it keeps its own tools', () => {
    const { args, isolation } = claude.plan(planSettings({ isIsolated: false }));
    const edits = ['--permission-mode', 'acceptEdits'];
    expect(args).toEqual([
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      ...config,
      ...edits,
      ...allowed,
    ]);
    expect(isolation).toBe('additive');
  });

  it('[16.18] applies the native permissions of the step, and none if it is isolated', () => {
    const own = (natives: LaunchSettings['natives'], isRoot?: true): readonly string[] => {
      const { args } = claude.plan(planSettings({ isIsolated: false, natives, ...(isRoot && { isRoot }) }));
      return args.slice(args.indexOf('/launch/mcp.json') + 1);
    };
    const listed = { level: 'read', allowed: [{ name: 'Write' }, { name: 'Bash', only: 'git *' }] } as const;
    const full = { level: 'full', allowed: [] } as const;
    expect(own(listed)).toEqual([
      ...['--permission-mode', 'dontAsk', '--disallowedTools', 'Edit', 'NotebookEdit'],
      ...[...allowed, 'Write', 'Bash(git *)'],
    ]);
    expect(own(full)).toEqual(['--dangerously-skip-permissions', ...allowed]);
    // Claude Code refuses this flag as root.
    expect(own(full, true)).toEqual(expect.arrayContaining(['acceptEdits', 'Bash', 'Write', 'WebFetch']));
    expect(own(full, true)).not.toContain('--dangerously-skip-permissions');
    expect(claude.plan(planSettings({ natives: full })).args).toEqual(claude.plan(planSettings()).args);
  });

  it('[16.19] merges the gateway instructions with the text a user appends in a terminal', () => {
    const guidance = 'Search first.';
    const appended = (...own: string[]): readonly string[] =>
      claude.plan(planSettings({ guidance, own })).args.filter((word) => /append|Search/.test(word));
    expect(appended('-c')).toEqual(['--append-system-prompt', guidance]);
    expect(appended('--append-system-prompt', 'Be brief.')).toEqual([
      '--append-system-prompt',
      `Be brief.\n\n${guidance}`,
    ]);
    expect(appended('--append-system-prompt=Be brief.')).toEqual([
      `--append-system-prompt=Be brief.\n\n${guidance}`,
    ]);
  });

  it('takes a model, a system prompt, a session to resume and another endpoint', () => {
    const more = { model: 'opus', system: 'be brief', resume: 's1', endpoint: otherModel, isQuiet: true };
    const { args, env } = claude.plan(planSettings(more));
    expect(args.slice(-6)).toEqual([
      '--model',
      'opus',
      '--append-system-prompt',
      'be brief',
      '--resume',
      's1',
    ]);
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: otherModel.url,
      ANTHROPIC_API_KEY: 'secret-key',
      DISABLE_TELEMETRY: '1',
    });
    expect(args.join(' ')).not.toContain('secret-key');
  });

  it('warns the user and the agent about unverified isolation', () => {
    const { args, warnings } = claude.plan(planSettings({ isProven: false, system: 'be brief' }));
    expect(args.at(-1)).toBe(`${mitigation('tserver')}\n\nbe brief`);
    expect(warnings).toEqual([expect.stringContaining('This version of Claude Code has not been verified')]);
  });

  it('starts interactively, with the arguments of the user first', () => {
    const { args } = claude.plan(planSettings({ own: ['--continue'] }));
    expect(args).not.toContain('-p');
    expect(args[0]).toBe('--continue');
  });
});

describe('the output of Claude Code', () => {
  const read = (...lines: readonly object[]) => {
    const reader = claude.createReader('tserver');
    return lines.flatMap((line) => reader(JSON.stringify(line)));
  };
  const use = (id: string, name: string) => ({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id, name, input: { a: 1 } }] },
  });
  const result = (id: string, content: unknown, isError: boolean, more: object = {}) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
    ...more,
  });

  it('is parsed into session, tools, calls and results', () => {
    expect(
      read(
        {
          type: 'system',
          subtype: 'init',
          session_id: 's1',
          tools: ['mcp__tserver__Read'],
          mcp_servers: [{ name: 'tserver', status: 'connected' }],
        },
        use('u1', 'mcp__tserver__Read'),
        result('u1', [{ type: 'text', text: 'found' }], false),
        { type: 'assistant', message: { content: [{ type: 'text', text: 'done' }] } },
        {
          type: 'result',
          is_error: false,
          result: 'done',
          usage: {
            input_tokens: 1,
            cache_read_input_tokens: 2,
            cache_creation_input_tokens: 4,
            output_tokens: 8,
          },
          total_cost_usd: 0.5,
        },
      ),
    ).toEqual([
      { kind: 'session', id: 's1' },
      { kind: 'offered', tools: ['mcp__tserver__Read'], isConnected: true },
      { kind: 'use', id: 'u1', name: 'mcp__tserver__Read', input: { a: 1 }, isNative: false },
      { kind: 'result', id: 'u1', name: 'mcp__tserver__Read', isNative: false, hasRun: true, text: 'found' },
      { kind: 'text', text: 'done' },
      { kind: 'usage', input: 7, output: 8, cost: 0.5 },
      { kind: 'answer', text: 'done' },
    ]);
  });

  it('distinguishes a denied call to its own tool from one that ran, even if that failed', () => {
    const accepted = { tool_result_meta: [{ id: 'u2', permission_decision: { decision: 'accept' } }] };
    const rejected = { tool_result_meta: [{ id: 'u3', permission_decision: { decision: 'reject' } }] };
    const events = read(
      use('u1', 'Bash'),
      result('u1', '<tool_use_error>Error: No such tool available: Bash</tool_use_error>', true),
      use('u2', 'Bash'),
      result('u2', 'Exit code 3', true, accepted),
      use('u3', 'Write'),
      result('u3', 'you have not granted it', true, rejected),
      use('u4', 'Bash'),
      result('u4', '', false),
      // The call itself is missing, so it cannot be one of ours.
      result('u5', '', false),
    );
    const results = events.filter((event) => event.kind === 'result');
    expect(results.map(({ isNative }) => isNative)).toEqual([true, true, true, true, true]);
    expect(results.map(({ hasRun }) => hasRun)).toEqual([false, true, false, true, true]);
  });

  it('does not mistake a server whose name starts the same for ours', () => {
    const [event] = read(use('u1', 'mcp__tserverx__Read'));
    expect(event).toMatchObject({ isNative: true });
  });

  it('is a failure if it reports one, and is ignored if it is not JSON', () => {
    expect(read({ type: 'result', is_error: true, subtype: 'error_max_turns' }).at(-1)).toEqual({
      kind: 'error',
      message: 'error_max_turns',
    });
    expect(claude.createReader('x')('not json')).toEqual([]);
    expect(claude.createReader('x')('[1]')).toEqual([]);
  });
});
