import { describe, expect, it } from 'vitest';
import { gemini } from './gemini.js';
import { mitigation } from './launch.js';
import { otherModel, planSettings } from './plan-settings.fixture.js';

const textOf = (files: readonly object[], path: string): string => {
  const file = files.find((one) => (one as { path: string }).path === path);
  return (file as { text?: string } | undefined)?.text ?? '';
};
const settingsOf = (files: readonly object[]): Readonly<Record<string, unknown>> =>
  JSON.parse(textOf(files, '.gemini/settings.json')) as Readonly<Record<string, unknown>>;
const gate = { command: '/bin/node', args: ['/t.js', 'mcp-serve', '--config', '/s/t.json'], env: {} };

describe('the plan of Gemini CLI', () => {
  it('puts the words of a person before flags that take lists', () => {
    const { args } = gemini.plan(planSettings({ own: ['/a/path'] }));
    expect(args.slice(0, 2)).toEqual(['/a/path', '--skip-trust']);
  });

  it('isolates it by a policy and a home of its own', () => {
    const { args, env, files, stdin, isolation } = gemini.plan(planSettings());
    expect(args).toEqual([
      ...['-o', 'stream-json', '--skip-trust', '--allowed-mcp-server-names', 'tserver', '-e', 'none'],
      ...['--admin-policy', '/launch/policy.toml'],
    ]);
    expect(env).toEqual({
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

  it('takes of the user the login and what may be told to whom, and no server', () => {
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
    expect(additive.args).toEqual(['-o', 'stream-json', '--skip-trust']);
  });

  it('takes a model, a session to go on with and another endpoint', () => {
    const { args, env, files } = gemini.plan(
      planSettings({ model: 'm', resume: 's1', endpoint: otherModel }),
    );
    expect(args.slice(-4)).toEqual(['-m', 'm', '--resume', 's1']);
    expect(env).toMatchObject({ GOOGLE_GEMINI_BASE_URL: otherModel.url, GEMINI_API_KEY: 'secret-key' });
    expect(settingsOf(files)['security']).toEqual({ auth: { selectedType: 'gemini-api-key' } });
  });

  it('says that nothing is proven, to the user and to the agent', () => {
    const { files, warnings } = gemini.plan(planSettings({ isProven: false, system: 'be brief' }));
    expect(textOf(files, '.gemini/GEMINI.md')).toBe(`${mitigation('tserver')}\n\nbe brief\n`);
    expect(warnings).toHaveLength(1);
  });
});

describe('what Gemini CLI says', () => {
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

  it('is its session, its calls, what came of them, and its last words', () => {
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

  it('tells a tool of its own that was refused from one that ran', () => {
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

  it('is a failure where it says so, and warnings are none', () => {
    expect(read({ type: 'error', severity: 'warning', message: 'x' })).toEqual([]);
    expect(read({ type: 'error', severity: 'error', message: 'x' })).toEqual([
      { kind: 'error', message: 'x' },
    ]);
    const ended = { type: 'result', status: 'error', error: { message: 'quota' }, stats: {} };
    expect(read(ended).at(-1)).toEqual({ kind: 'error', message: 'quota' });
  });
});
