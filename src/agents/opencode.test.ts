import { describe, expect, it } from 'vitest';
import { mitigation } from './launch.js';
import { opencode } from './opencode.js';
import { otherModel, planSettings } from './plan-settings.fixture.js';

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

describe('the plan of OpenCode', () => {
  it('isolates it by rules for all agents and by an agent of its own', () => {
    const { args, env, stdin, isolation } = opencode.plan(planSettings());
    expect(args).toEqual([
      ...['run', '--format', 'json', '--title', 'Tidegate', '--pure', '--agent', 'atserver'],
    ]);
    expect(configOf(env)).toEqual({
      mcp,
      permission: rules,
      agent: { atserver: { mode: 'primary', permission: rules } },
    });
    expect(env).toMatchObject({
      XDG_CONFIG_HOME: '/launch/config',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_CONFIG: undefined,
      OPENCODE_CONFIG_DIR: undefined,
      OPENCODE_PERMISSION: undefined,
    });
    expect([stdin, isolation]).toEqual(['say "hi" there\n', 'full']);
  });

  it('only adds the gate where its own tools stay', () => {
    const { args, env } = opencode.plan(planSettings({ isIsolated: false }));
    expect(args).toEqual(['run', '--format', 'json', '--title', 'Tidegate']);
    expect(configOf(env)).toEqual({ mcp });
    expect(env).not.toHaveProperty('XDG_CONFIG_HOME');
  });

  it("asks the user's own model, and takes nothing else of the user's settings", () => {
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
    });
  });

  it('takes a model, a session to go on with and another endpoint', () => {
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

  it('says that nothing is proven, to the user and to the agent', () => {
    const { env, warnings } = opencode.plan(planSettings({ isProven: false, system: 'be brief' }));
    expect(configOf(env)).toMatchObject({
      agent: { atserver: { prompt: `${mitigation('tserver')}\n\nbe brief` } },
    });
    expect(warnings).toHaveLength(1);
  });

  it('believes nothing after it fell back to another agent', () => {
    expect(opencode.fatal?.test('! agent "atserver" not found. Falling back to default agent')).toBe(true);
  });
});

describe('the configuration of OpenCode', () => {
  const textOf = (more: Parameters<typeof planSettings>[0]): string =>
    opencode.plan(planSettings(more)).env['OPENCODE_CONFIG_CONTENT'] ?? '';

  it('has nothing of ours that it would fill in, and all that the user wrote to be filled in', () => {
    const own = JSON.stringify({ model: 'a/b', provider: { a: { options: { apiKey: '{env:A_KEY}' } } } });
    const userFile = (path: string): string | undefined => (path.endsWith('opencode.json') ? own : undefined);
    const text = textOf({ system: 'see {env:X} and {file:/y}', userFile });
    expect(text.match(/\{(?:env|file):[^}]*/g)).toEqual(['{env:A_KEY']);
    expect(text).toContain('see \\u007benv:X} and \\u007bfile:/y}');
    expect(JSON.parse(text)).toMatchObject({ model: 'a/b', permission: { '*': 'deny' } });
  });

  it('is read in a home without tools and servers, where the login is the same', () => {
    const { env } = opencode.plan(planSettings({ env: { HOME: '/home/u' } }));
    expect(env).toMatchObject({ HOME: '/launch/home', XDG_DATA_HOME: '/home/u/.local/share' });
  });
});

describe('what OpenCode says', () => {
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

  it('is its session, its calls, what came of them, and its last words', () => {
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

  it('tells a tool of its own that was refused from one that ran', () => {
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

  it('is a failure where it says so', () => {
    expect(read({ type: 'error', error: { name: 'X', data: { message: 'quota' } } }).at(-1)).toEqual({
      kind: 'error',
      message: 'quota',
    });
  });
});
