import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LaunchSettings, mitigation } from './launch.js';
import { opencode } from './opencode.js';
import { noGit, otherModel, planSettings } from './plan-settings.fixture.js';

const mcp = {
  tserver: {
    type: 'local',
    command: ['/bin/node', '/t.js', 'mcp-serve', '--config', '/s/t.json'],
    environment: {},
    enabled: true,
  },
};
const rules = { '*': 'deny', 'tserver_*': 'allow' };
const configOf = (env: Readonly<Record<string, string | undefined>>): unknown =>
  JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '');

describe('the launch plan of OpenCode', () => {
  it('isolates it with rules for all agents and with its own agent', () => {
    const { args, env, cwd, files, stdin, isolation } = opencode.plan(planSettings());
    expect(args).toEqual([
      ...['run', '--format', 'json', '--title', 'Tidegate', '--pure', '--agent', 'atserver'],
    ]);
    expect(configOf(env)).toEqual({
      mcp,
      permission: rules,
      agent: { atserver: { mode: 'primary', permission: rules } },
      instructions: ['/launch/project.md'],
    });
    expect(env).toMatchObject({
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_CONFIG: undefined,
      OPENCODE_CONFIG_DIR: undefined,
      OPENCODE_PERMISSION: undefined,
      ...noGit,
    });
    // From any other start folder it would import plugins.
    expect(cwd).toMatch(/^\/keep\/[0-9a-f]{16}\/opencode$/);
    expect(env['XDG_CONFIG_HOME']).toBe(dirname(cwd ?? ''));
    expect(files[0]).toMatchObject({ text: expect.stringContaining('/work/project') as string });
    expect([stdin, isolation]).toEqual(['say "hi" there\n', 'full']);
  });

  it('only adds the gateway if it keeps its own tools', () => {
    const { args, env } = opencode.plan(planSettings({ isIsolated: false }));
    expect(args).toEqual(['run', '--format', 'json', '--title', 'Tidegate']);
    expect(configOf(env)).toEqual({ mcp, experimental: { continue_loop_on_deny: true } });
    expect(env).not.toHaveProperty('XDG_CONFIG_HOME');
  });

  it('[16.18] translates native permissions, with precedence over those of the user', () => {
    const plan = (natives: LaunchSettings['natives'], isIsolated = false) =>
      opencode.plan(
        planSettings({
          isIsolated,
          natives,
          env: { HOME: '/home/u', OPENCODE_PERMISSION: '{"bash":"allow","webfetch":"deny"}' },
        }),
      );
    const permissions = (natives: LaunchSettings['natives']): unknown =>
      JSON.parse(plan(natives).env['OPENCODE_PERMISSION'] ?? '');
    expect(permissions({ level: 'edit', allowed: [] })).toEqual({ bash: 'deny', webfetch: 'deny' });
    const allowed = [{ name: 'Bash', only: 'git:*' }, { name: 'Write' }];
    expect(permissions({ level: 'read', allowed })).toEqual({
      bash: { '*': 'deny', 'git *': 'allow' },
      edit: 'allow',
      webfetch: 'deny',
    });
    const full = { level: 'full', allowed: [] } as const;
    expect(plan(full).args).toContain('--auto');
    expect(permissions(full)).toEqual({ bash: 'allow', webfetch: 'deny' });
    // The control.
    expect(plan(full, true).args).not.toContain('--auto');
    expect(plan(full, true).env['OPENCODE_PERMISSION']).toBeUndefined();
  });

  it("uses the user's model and no other user settings", () => {
    const text = `{
      // mine
      "model": "anthropic/opus", /* and */ "provider": { "x": { "options": { "url": "https://a//b" } } },
      "mcp": { "evil": {} }, "permission": { "*": "allow" }, "plugin": ["evil"],
    }`;
    const userFile = (path: string): string | undefined =>
      path === '/home/u/.config/opencode/opencode.jsonc' ? text : undefined;
    expect(configOf(opencode.plan(planSettings({ userFile })).env)).toEqual({
      model: 'anthropic/opus',
      provider: { x: { options: { url: 'https://a//b' } } },
      mcp,
      permission: rules,
      agent: { atserver: { mode: 'primary', permission: rules } },
      instructions: ['/launch/project.md'],
    });
  });

  it('takes a model, a session to resume and another endpoint', () => {
    const { args } = opencode.plan(planSettings({ model: 'a/b', resume: 's1' }));
    expect(args).toEqual([
      ...['run', '--format', 'json', '-s', 's1', '--pure', '--agent', 'atserver', '--model', 'a/b'],
    ]);
    const own = opencode.plan(planSettings({ model: 'm', endpoint: otherModel }));
    expect(own.args).not.toContain('--model');
    expect(configOf(own.env)).toMatchObject({
      model: 'tidegate/m',
      provider: { tidegate: { options: { baseURL: otherModel.url, apiKey: 'secret-key' } } },
    });
  });

  it('warns the user and the agent about unverified isolation', () => {
    const { env, warnings } = opencode.plan(planSettings({ isProven: false, system: 'be brief' }));
    expect(configOf(env)).toMatchObject({
      agent: { atserver: { prompt: `${mitigation('tserver')}\n\nbe brief` } },
    });
    expect(warnings).toHaveLength(1);
  });

  it('rejects all output after a fallback to another agent', () => {
    expect(opencode.fatal?.test('! agent "atserver" not found. Falling back to default agent')).toBe(true);
  });
});

describe('the configuration of OpenCode', () => {
  const textOf = (more: Parameters<typeof planSettings>[0]): string =>
    opencode.plan(planSettings(more)).env['OPENCODE_CONFIG_CONTENT'] ?? '';

  it('expands placeholders of the user but none of ours', () => {
    const own = JSON.stringify({ model: 'a/b', provider: { a: { options: { apiKey: '{env:A_KEY}' } } } });
    const userFile = (path: string): string | undefined => (path.endsWith('opencode.json') ? own : undefined);
    const text = textOf({ system: 'see {env:X} and {file:/y}', userFile });
    expect(text.match(/\{(?:env|file):[^}]*/g)).toEqual(['{env:A_KEY']);
    expect(text).toContain('see \\u007benv:X} and \\u007bfile:/y}');
    expect(JSON.parse(text)).toMatchObject({ model: 'a/b', permission: { '*': 'deny' } });
  });

  it('is read in a home without tools and servers, but with the same login', () => {
    const { env } = opencode.plan(planSettings({ env: { HOME: '/home/u' } }));
    expect(env).toMatchObject({ HOME: '/launch/home', XDG_DATA_HOME: '/home/u/.local/share' });
  });
});

describe('the output of OpenCode', () => {
  const read = (...lines: readonly object[]) => {
    const reader = opencode.createReader('tserver');
    return lines.flatMap((line) => reader(JSON.stringify({ sessionID: 's1', ...line })));
  };
  const tool = (name: string, state: object) => ({
    type: 'tool_use',
    part: { tool: name, callID: 'u1', state },
  });
  const finish = (reason: string) => ({
    type: 'step_finish',
    part: { reason, tokens: { input: 10, output: 5, reasoning: 1, cache: { read: 2, write: 3 } }, cost: 0.5 },
  });

  it('is parsed into session, calls, results and answer', () => {
    expect(
      read(
        { type: 'text', part: { text: 'I look.' } },
        tool('tserver_Read', { status: 'completed', input: { a: 1 }, output: 'found' }),
        finish('tool-calls'),
        { type: 'text', part: { text: 'done' } },
        finish('stop'),
      ),
    ).toEqual([
      { kind: 'session', id: 's1' },
      { kind: 'text', text: 'I look.' },
      { kind: 'use', id: 'u1', name: 'tserver_Read', input: { a: 1 }, isNative: false },
      { kind: 'result', id: 'u1', name: 'tserver_Read', isNative: false, hasRun: true, text: 'found' },
      { kind: 'usage', input: 15, output: 6, cost: 0.5 },
      { kind: 'text', text: 'done' },
      { kind: 'usage', input: 15, output: 6, cost: 0.5 },
      { kind: 'answer', text: 'done' },
    ]);
  });

  it('distinguishes a denied call to its own tool from one that ran', () => {
    const results = read(
      tool('bash', { status: 'error', error: 'unavailable' }),
      tool('invalid', { status: 'completed', output: 'unavailable' }),
      tool('bash', { status: 'completed', output: '' }),
    ).filter((event) => event.kind === 'result');
    expect(results.map(({ isNative, hasRun }) => [isNative, hasRun])).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  it('is a failure if it reports one', () => {
    expect(read({ type: 'error', error: { name: 'X', data: { message: 'quota' } } }).at(-1)).toEqual({
      kind: 'error',
      message: 'quota',
    });
  });
});
