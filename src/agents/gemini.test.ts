import { describe, expect, it } from 'vitest';
import { gemini } from './gemini.js';
import { mitigation } from './launch.js';
import { noGit, otherModel, planSettings } from './plan-settings.fixture.js';

const textOf = (files: readonly object[], path: string): string => {
  const file = files.find((one) => (one as { path: string }).path === path);
  return (file as { text?: string } | undefined)?.text ?? '';
};
const settingsOf = (files: readonly object[]): Readonly<Record<string, unknown>> =>
  JSON.parse(textOf(files, '.gemini/settings.json')) as Readonly<Record<string, unknown>>;
const gate = { command: '/bin/node', args: ['/t.js', 'mcp-serve', '--config', '/s/t.json'], env: {} };

describe('the launch plan of Gemini CLI', () => {
  it('puts the arguments of the user before flags that take lists', () => {
    const { args } = gemini.plan(planSettings({ own: ['/a/path'] }));
    expect(args.slice(0, 2)).toEqual(['/a/path', '--skip-trust']);
  });

  it('isolates it with a policy and its own home', () => {
    const { args, env, files, stdin, isolation } = gemini.plan(planSettings());
    expect(args).toEqual([
      ...['-o', 'stream-json', '--skip-trust', '--allowed-mcp-server-names', 'tserver', '-e', 'none'],
      ...['--admin-policy', '/launch/policy.toml'],
    ]);
    expect(env).toEqual({
      ...noGit,
      GEMINI_CLI_HOME: '/launch',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: undefined,
    });
    expect(settingsOf(files)['mcpServers']).toEqual({ tserver: gate });
    expect(textOf(files, 'policy.toml')).toBe(
      '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\n\n' +
        '[[rule]]\nmcpName = "tserver"\ntoolName = "*"\ndecision = "allow"\npriority = 999\n',
    );
    expect(files).toContainEqual({ path: '.gemini/tmp', link: '/keep' });
    expect([stdin, isolation]).toEqual(['say "hi" there\n', 'full']);
  });

  it('[16.18] translates native permissions into a mode and rules', () => {
    const natives = { level: 'read', allowed: [{ name: 'Bash', only: 'git *' }, { name: 'Write' }] } as const;
    const { args, files } = gemini.plan(planSettings({ isIsolated: false, natives }));
    expect(args.slice(-4)).toEqual(['--approval-mode', 'default', '--policy', '/launch/native-policy.toml']);
    const rules = textOf(files, 'native-policy.toml').trimEnd().split('\n\n');
    expect(rules.map((rule) => rule.split('\n').slice(1, -1).join(' '))).toEqual([
      'toolName = "write_file" decision = "deny"',
      'toolName = "replace" decision = "deny"',
      'toolName = "run_shell_command" decision = "deny"',
      'toolName = "run_shell_command" commandPrefix = "git" decision = "allow"',
      'toolName = "write_file" decision = "allow"',
    ]);
    const full = gemini.plan(planSettings({ isIsolated: false, natives: { level: 'full', allowed: [] } }));
    expect(full.args.slice(-2)).toEqual(['--approval-mode', 'yolo']);
    // The control.
    expect(gemini.plan(planSettings({ natives })).args).not.toContain('--approval-mode');
  });

  it("takes the user's login and telemetry settings, but no servers", () => {
    const users: Readonly<Record<string, string>> = {
      '/home/u/.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'oauth-personal' } },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: { other: { command: 'x' } },
        hooks: { SessionStart: [] },
      }),
      '/home/u/.gemini/oauth_creds.json': '{}',
    };
    const userFile = (path: string): string | undefined => users[path];
    const isolated = gemini.plan(planSettings({ userFile }));
    expect(settingsOf(isolated.files)).toEqual({
      general: {},
      privacy: { usageStatisticsEnabled: false },
      telemetry: {},
      security: { auth: { selectedType: 'oauth-personal' } },
      advanced: { ignoreLocalEnv: true },
      context: { memoryBoundaryMarkers: [] },
      mcpServers: { tserver: gate },
    });
    expect(isolated.files).toContainEqual({
      path: '.gemini/oauth_creds.json',
      link: '/home/u/.gemini/oauth_creds.json',
    });
    const additive = gemini.plan(planSettings({ userFile, isIsolated: false }));
    expect(settingsOf(additive.files)['mcpServers']).toEqual({
      other: { command: 'x' },
      tserver: { ...gate, trust: true },
    });
    expect(additive.args).toEqual(['-o', 'stream-json', '--skip-trust', '--approval-mode', 'auto_edit']);
  });

  it('takes a model, a session to resume and another endpoint', () => {
    const { args, env, files } = gemini.plan(
      planSettings({ model: 'm', resume: 's1', endpoint: otherModel }),
    );
    expect(args.slice(-4)).toEqual(['-m', 'm', '--resume', 's1']);
    expect(env).toMatchObject({ GOOGLE_GEMINI_BASE_URL: otherModel.url, GEMINI_API_KEY: 'secret-key' });
    expect(settingsOf(files)['security']).toEqual({ auth: { selectedType: 'gemini-api-key' } });
  });

  it('warns the user and the agent about unverified isolation', () => {
    const { files, warnings } = gemini.plan(planSettings({ isProven: false, system: 'be @brief' }));
    expect(textOf(files, '.gemini/GEMINI.md')).toContain(
      `it is empty.\n\n${mitigation('tserver')}\n\nbe \\@brief\n`,
    );
    expect(warnings).toHaveLength(1);
  });
});

describe('the output of Gemini CLI', () => {
  const read = (...lines: readonly object[]) => {
    const reader = gemini.createReader('tserver');
    return lines.flatMap((line) => reader(JSON.stringify(line)));
  };
  const use = (id: string, name: string) => ({
    type: 'tool_use',
    tool_id: id,
    tool_name: name,
    parameters: {},
  });

  it('is parsed into session, calls, results and answer', () => {
    expect(
      read(
        { type: 'init', session_id: 's1', model: 'm' },
        { type: 'message', role: 'user', content: 'go' },
        { type: 'message', role: 'assistant', content: 'I look.', delta: true },
        use('u1', 'mcp_tserver_Read'),
        { type: 'tool_result', tool_id: 'u1', status: 'success', output: 'found' },
        { type: 'message', role: 'assistant', content: 'all ', delta: true },
        { type: 'message', role: 'assistant', content: 'done', delta: true },
        { type: 'result', status: 'success', stats: { input_tokens: 10, output_tokens: 5 } },
      ),
    ).toEqual([
      { kind: 'session', id: 's1' },
      { kind: 'text', text: 'I look.' },
      { kind: 'use', id: 'u1', name: 'mcp_tserver_Read', input: {}, isNative: false },
      { kind: 'result', id: 'u1', name: 'mcp_tserver_Read', isNative: false, hasRun: true, text: 'found' },
      { kind: 'text', text: 'all ' },
      { kind: 'text', text: 'done' },
      { kind: 'usage', input: 10, output: 5 },
      { kind: 'answer', text: 'all done' },
    ]);
  });

  it('distinguishes a denied call to its own tool from one that ran', () => {
    const refused = { type: 'tool_not_registered', message: 'none' };
    const results = read(
      use('u1', 'run_shell_command'),
      { type: 'tool_result', tool_id: 'u1', status: 'error', error: refused },
      use('u2', 'run_shell_command'),
      { type: 'tool_result', tool_id: 'u2', status: 'success', output: '' },
    ).filter((event) => event.kind === 'result');
    expect(results.map(({ isNative, hasRun }) => [isNative, hasRun])).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  it('is a failure if it reports an error, but not for a warning', () => {
    expect(read({ type: 'error', severity: 'warning', message: 'x' })).toEqual([]);
    expect(read({ type: 'error', severity: 'error', message: 'x' })).toEqual([
      { kind: 'error', message: 'x' },
    ]);
    const ended = { type: 'result', status: 'error', error: { message: 'quota' }, stats: {} };
    expect(read(ended).at(-1)).toEqual({ kind: 'error', message: 'quota' });
  });
});
