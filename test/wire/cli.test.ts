import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { type Ran, runGate, type RunMore } from '../support/run-program.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

let place: Place;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  const schema =
    '{"type":"object","properties":{"path":{"type":"string","description":"Where."},"n":{"type":"integer"}},"required":["path"]}';
  upstream = await openScripted('stdio', 'legacy', {
    lists: {
      'tools/list': [
        `{"name":"read_file","description":"Reads a file.\\nSecond line.","inputSchema":${schema}}`,
        '{"name":"hostile","description":"\\u001b[31mred\\u202e \\u009b2J\\u200b\\u2066\u009b\u200b","inputSchema":{"type":"object"}}',
        ...['fails', 'refused', 'hangs', 'dies'].map(
          (name) => `{"name":"${name}","inputSchema":{"type":"object"}}`,
        ),
      ],
    },
    answers: {
      'tools/call': {
        read_file: {
          result: '{"content":[{"type":"text","text":"line one\\nline two"}],"x":12345678901234567890}',
        },
        hostile: {
          result:
            '{"content":[{"type":"text","text":"\\u001b]0;owned\\u0007\\u001b[2J\\u009b2J\\u202e\u2066"}]}',
        },
        fails: { result: '{"isError":true,"content":[{"type":"text","text":"it failed"}]}' },
        refused: { error: '{"code":-32050,"message":"not today"}' },
        hangs: { hangs: true },
        dies: { exits: true },
      },
    },
  });
  place = openPlace({
    servers: {
      files: { ...upstream.entry, timeout: 1500 },
      away: { command: 'no-such-program-anywhere' },
      off: { command: 'x', enabled: false },
    },
  });
});
afterAll(async () => {
  place.close();
  await upstream.close();
});

const run = (...args: readonly string[]): Promise<Ran> => runGate(place, args);

/** Every command in a working form, and whether it ends without a signal. */
const commands = [
  ['serve'],
  ['mcp'],
  ['tools', 'list'],
  ['tools', 'show'],
  ['tools', 'call'],
  ['servers'],
  ['trust'],
  ['config', 'check'],
  ['config', 'path'],
  ['config', 'schema'],
] as const;

describe('help', () => {
  it('names every command and every exit status', async () => {
    const { status, stdout, stderr } = await run('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const [name] of commands) expect(stdout).toContain(`\n  ${name}`);
    for (const code of ['0', '1', '2', '3', '4', '5', '6', '130'])
      expect(stdout).toMatch(new RegExp(`\\n  ${code} +\\w`));
  });

  it.each(commands.map((words) => words.join(' ')))(
    'of %s shows an example and goes to standard output',
    async (name) => {
      const { status, stdout, stderr } = await run(...name.split(' '), '--help');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain(`Usage: tidegate ${name}`);
      expect(stdout).toContain('Examples:');
      expect(stdout).toContain('--json');
    },
  );
});

describe('exit status', () => {
  const cases: readonly (readonly [string, readonly string[], number, string])[] = [
    ['a tool that answers', ['tools', 'call', 'files_read_file', 'path=a'], 0, 'line one'],
    ['no command', [], 2, 'Usage'],
    ['an unknown command', ['tols'], 2, 'Did you mean "tools"?'],
    ['an unknown command of a group', ['tools', 'lst'], 2, 'Did you mean "list"?'],
    ['an unknown option', ['tools', 'list', '--colour'], 2, '--help'],
    ['too many arguments', ['tools', 'show', 'a', 'b'], 2, '--help'],
    ['a missing argument', ['tools', 'call'], 2, 'name'],
    ['arguments that are not an object', ['tools', 'call', 'files_read_file', '{'], 2, 'JSON'],
    ['an unknown tool', ['tools', 'call', 'files_raed_file', '{}'], 3, 'Did you mean "files_read_file"?'],
    ['an unknown tool to show', ['tools', 'show', 'files_read_fil'], 3, 'Did you mean "files_read_file"?'],
    ['an unknown server', ['servers', 'file'], 3, 'Did you mean "files"?'],
    ['a missing file', ['tools', 'list', '--config', 'nowhere.yaml'], 3, 'nowhere.yaml'],
    ['a tool that fails', ['tools', 'call', 'files_fails'], 5, 'it failed'],
    ['a call that the server refuses', ['tools', 'call', 'files_refused'], 5, 'not today'],
    ['a server that never answers', ['tools', 'call', 'files_hangs'], 4, 'within'],
    ['a server that crashes', ['tools', 'call', 'files_dies'], 4, 'was lost'],
    ['a bad port', ['serve', '--port', '70000'], 2, '65535'],
    ['a bad address', ['mcp', '--via', 'ftp://x'], 2, 'http'],
  ];

  it.each(cases)('of %s', async (_what, args, status, words) => {
    const ran = await run(...args);
    expect({ status: ran.status, said: ran.stdout + ran.stderr }).toEqual({
      status,
      said: expect.stringContaining(words),
    });
    if (status !== 0 && status !== 5 && args.length > 0) expect(ran.stdout).toBe('');
  });

  it.each(cases.filter(([, args]) => args.length > 0))(
    'of %s is the same with --json, and the output is JSON',
    async (_what, args, status) => {
      const ran = await run(...args, '--json');
      expect(ran.status).toBe(status);
      const body = JSON.parse(ran.stdout) as {
        readonly error?: { readonly code: string; readonly message: string };
      };
      if (status !== 0 && status !== 5)
        expect(body.error).toMatchObject({
          code: expect.stringMatching(/^[a-z_]+(\.[a-z_]+)?$/),
          message: expect.any(String),
        });
    },
  );
});

describe('every command with --json', () => {
  it.each([
    [
      ['tools', 'list'],
      { tools: expect.arrayContaining([expect.objectContaining({ name: 'files_read_file' })]) },
    ],
    [['tools', 'show', 'files_read_file'], { source: 'server:files', definition: expect.any(Object) }],
    [['servers'], { servers: expect.any(Array) }],
    [['servers', 'off'], { servers: [expect.objectContaining({ id: 'off', state: 'disabled' })] }],
    [
      ['trust', '--list'],
      { trusted: [expect.objectContaining({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })] },
    ],
    [['config', 'check'], { valid: true, trusted: true, problems: [] }],
    [['config', 'path'], { file: expect.stringContaining('tidegate.yaml') }],
    [['config', 'schema'], { $schema: expect.any(String), properties: expect.any(Object) }],
  ] as const)('%j prints one JSON value and nothing else', async (args, expected) => {
    const { status, stdout } = await run(...args, '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });

  it('keeps numbers that a parser would change', async () => {
    expect(
      (await run('tools', 'call', 'files_read_file', '{"path":"a","n":9007199254740993}', '--json')).stdout,
    ).toContain('"x":12345678901234567890');
    expect(upstream.heardOf('tools/call').at(-1)).toContain('"n":9007199254740993');
  });
});

describe('the arguments of a call', () => {
  const heard = (): unknown =>
    (
      JSON.parse(upstream.heardOf('tools/call').at(-1) ?? '{}') as {
        readonly params: { readonly arguments: unknown };
      }
    ).params.arguments;
  const call = (more: RunMore, ...words: readonly string[]) =>
    runGate(place, ['tools', 'call', 'files_read_file', ...words], more);

  it('may be pairs, JSON, or JSON on standard input', async () => {
    await call({}, 'path=12', 'n=12', 'x={"a":[1]}', 'free=a=b c');
    expect(heard()).toEqual({ path: '12', n: 12, x: { a: [1] }, free: 'a=b c' });
    await call({}, '{"path":"p"}');
    expect(heard()).toEqual({ path: 'p' });
    await call({ input: '{"path":"from stdin"}' }, '-');
    expect(heard()).toEqual({ path: 'from stdin' });
  });
});

describe('the output', () => {
  it('has no colors and no control characters without a terminal, whatever a server sends', async () => {
    for (const args of [
      ['tools', 'list'],
      ['tools', 'show', 'files_hostile'],
      ['tools', 'call', 'files_hostile'],
      ['tools', 'list', '--json'],
      ['tools', 'show', 'files_hostile', '--json'],
      ['tools', 'call', 'files_hostile', '--json'],
      ['servers'],
      ['config', 'check'],
      ['--help'],
    ]) {
      const { stdout, stderr } = await runGate(place, args, {
        env: { ...place.env, FORCE_COLOR: '1', TERM: 'xterm-256color', COLORTERM: 'truecolor' },
      });
      expect({ args, text: stdout + stderr }).toEqual({
        args,
        text: expect.not.stringMatching(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066]/),
      });
    }
  });

  it('reports the problem of each server', async () => {
    const { stdout, status } = await run('servers');
    expect(status).toBe(0);
    expect(stdout).toMatch(/files +(ready|idle) +(\d+|-) +6 +0/);
    expect(stdout).toMatch(/away +(failed|pending)/);
    expect(stdout).toMatch(/^away: .*no-such-program-anywhere/m);
    expect(stdout).toMatch(/off +disabled/);
  });
});

describe('config check', () => {
  it('reports every problem at once, with its position, code and remedy', async () => {
    const wrong = openPlace({}, { trusted: false });
    writeFileSync(
      wrong.configFile,
      [
        'servers:',
        '  one:',
        '    comand: x',
        '  two:',
        '    command: x',
        '    url: http://y',
        '  three:',
        '    command: x',
        '    timeout: soon',
        'http: { port: 99999, auth: nobody }',
        'lgo: {}',
      ].join('\n'),
    );
    const { status, stdout } = await runGate(wrong, ['config', 'check']);
    expect(status).toBe(2);
    for (const words of [
      'Did you mean `command`?',
      'cannot be used together',
      '"soon"',
      '"99999"',
      '"nobody"',
      '"lgo"',
    ]) {
      expect(stdout).toContain(words);
    }
    const places = stdout.split('\n').filter((line) => /tidegate\.yaml:\d+:\d+/.test(line));
    expect(places.length).toBeGreaterThanOrEqual(6);
    const { problems } = JSON.parse((await runGate(wrong, ['config', 'check', '--json'])).stdout) as {
      readonly problems: readonly { readonly code: string; readonly line: number }[];
    };
    expect(problems.length).toBeGreaterThanOrEqual(6);
    for (const { code } of problems) expect(code).toMatch(/^[a-z]+\.[a-z_0-9]+$/);
    expect((await runGate(wrong, ['mcp'], { input: '' })).status).toBe(2);
    expect((await runGate(wrong, ['serve', '--port', '0'])).status).toBe(2);
    wrong.close();
  });

  it('finds the file in parent folders, or falls back to the user file', async () => {
    const deep = join(place.directory, 'workspace', 'a', 'b');
    mkdirSync(deep, { recursive: true });
    expect((await runGate(place, ['config', 'path'], { cwd: deep })).stdout.trim()).toBe(place.configFile);
    const none = await runGate(place, ['config', 'path'], { cwd: place.env['HOME'] ?? '' });
    expect(none.status).toBe(3);
    const own = join(place.env['TIDEGATE_HOME'] ?? '', 'tidegate.yaml');
    writeFileSync(own, '{}');
    expect((await runGate(place, ['config', 'path'], { cwd: place.env['HOME'] ?? '' })).stdout.trim()).toBe(
      own,
    );
  });
});
