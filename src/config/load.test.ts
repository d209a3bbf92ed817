import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultConfig, describeProblem, hasErrors, type LoadedConfig, loadConfig } from './index.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-load-')));
afterAll(() => rmSync(directory, { recursive: true }));

const environment = { HOME: '/home/ada', TOKEN: 'secret', PORT: '8080', EMPTY: '', YES: 'true' };

async function load(text: string, file = 'tidegate.yaml'): Promise<LoadedConfig> {
  return loadConfig({ file: join(directory, file), text, env: environment, home: '/home/ada' });
}

async function places(text: string, file?: string): Promise<readonly string[]> {
  const { problems } = await load(text, file);
  return problems.map(({ code, line, column, path }) => `${line}:${column} ${code} ${path}`);
}

async function server(text: string) {
  const { config, problems } = await load(`servers:\n  it:\n${text.replaceAll(/^/gm, '    ')}`);
  expect(problems.map(describeProblem)).toEqual([]);
  return config.servers[0];
}

describe('a configuration file', () => {
  it('can be empty, contain only comments, or have no servers', async () => {
    for (const text of ['', '\n', '# nothing\n', '{}', 'servers:', 'servers: {}\nhttp:\n']) {
      const { config, problems } = await load(text);
      expect(problems).toEqual([]);
      expect(config).toEqual({ ...defaultConfig(directory), file: join(directory, 'tidegate.yaml') });
    }
  });

  it('returns the servers in file order, with all defaults', async () => {
    const { config, problems } = await load(
      'mcpServers:\n  "2": {command: npx, args: [-y, x]}\nservers:\n  b: {url: "https://b.example/mcp"}\n  "1": {command: a}\n',
    );
    expect(problems).toEqual([]);
    const common = { tools: ['*'], isEnabled: true, timeout: 60_000, idle: 600_000, protocol: 'auto' };
    expect(config.servers).toEqual([
      {
        ...common,
        kind: 'stdio',
        name: '2',
        prefix: '2_',
        command: 'npx',
        args: ['-y', 'x'],
        env: {},
        cwd: directory,
      },
      { ...common, kind: 'http', name: 'b', prefix: 'b_', url: 'https://b.example/mcp', headers: {} },
      { ...common, kind: 'stdio', name: '1', prefix: '1_', command: 'a', args: [], env: {}, cwd: directory },
    ]);
  });

  it('has the same result whether a default is written or omitted', async () => {
    const written = `
      servers:
        s: {command: x, args: [], env: {}, tools: ["*"], enabled: true, timeout: 60s, idle: 10m, protocol: auto, prefix: s_, cwd: .}
      workspace: {roots: [.]}
      http: {port: 7331, host: 127.0.0.1, auth: token}
      log: {level: info}`;
    expect((await load(written)).config).toEqual((await load('servers: {s: {command: x}}')).config);
  });

  it('is deeply frozen', async () => {
    const { config } = await load('servers: {s: {command: x, env: {A: b}}}');
    const [first] = config.servers;
    for (const part of [config, config.servers, first, config.http, first?.kind === 'stdio' && first.env]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('has a hash of exactly its bytes', async () => {
    const bytes = Buffer.from('\ufeffservers: {}\n');
    writeFileSync(join(directory, 'hashed.yaml'), bytes);
    const { sha256, problems } = await loadConfig({
      file: join(directory, 'hashed.yaml'),
      env: {},
      home: '/',
    });
    expect(problems).toEqual([]);
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

describe('paths', () => {
  it('are relative to the directory of the file, or to the home directory', async () => {
    const { config } = await load(
      'servers: {s: {command: ./bin/run, cwd: ~/x}}\nworkspace: {roots: [a, /b, "~"]}\nlog: {file: l.log}',
    );
    expect(config.servers[0]).toMatchObject({ command: join(directory, 'bin/run'), cwd: '/home/ada/x' });
    expect(config.workspace.roots).toEqual([join(directory, 'a'), '/b', '/home/ada']);
    expect(config.log.file).toBe(join(directory, 'l.log'));
  });

  it('are relative to the real file behind a link, so that a link cannot change what was trusted', async () => {
    const [real, hostile] = ['real', 'hostile'].map((name) => join(directory, name));
    for (const folder of [real, hostile]) mkdirSync(String(folder));
    writeFileSync(join(String(real), 'tidegate.yaml'), 'servers: {s: {command: ./run}}');
    symlinkSync(join(String(real), 'tidegate.yaml'), join(String(hostile), 'tidegate.yaml'));
    const { config } = await loadConfig({ file: join(String(hostile), 'tidegate.yaml'), env: {}, home: '/' });
    expect(config.file).toBe(join(String(real), 'tidegate.yaml'));
    expect(config.servers[0]).toMatchObject({ command: join(String(real), 'run'), cwd: real });
    expect(config.workspace.roots).toEqual([real]);
  });

  it('use the root chosen by the caller if the file names none', async () => {
    const { config } = await loadConfig({
      file: join(directory, 'a'),
      text: '',
      env: {},
      home: '/',
      workspace: '/w',
    });
    expect(config.workspace.roots).toEqual(['/w']);
  });
});

describe('references to the environment', () => {
  it('are replaced in every string, and converted where a number or boolean is expected', async () => {
    const { config, problems } = await load(
      'servers: {s: {url: "https://x/${TOKEN}", enabled: "${YES}", idle: "${PORT}", headers: {a: "$${TOKEN} ${EMPTY:-d}"}}}\n' +
        'http: {port: "${PORT}"}\nlog: {level: "${LEVEL:-warn}"}',
    );
    expect(problems).toEqual([]);
    expect(config.servers[0]).toMatchObject({
      url: 'https://x/secret',
      idle: 8080,
      headers: { a: '${TOKEN} d' },
    });
    expect(config.http.port).toBe(8080);
    expect(config.log.level).toBe('warn');
  });

  it('that are missing or malformed are reported at their position', async () => {
    expect(
      await places('servers:\n  s:\n    command: x\n    args: ["a ${NO} ${NEITHER}", "${a b}"]\n'),
    ).toEqual([
      '4:15 config.env_missing servers.s.args[0]',
      '4:21 config.env_missing servers.s.args[0]',
      '4:35 config.env_syntax servers.s.args[1]',
    ]);
  });

  it('do not expose their values in messages', async () => {
    const { problems } = await load('http: {port: "${TOKEN}", host: "${TOKEN} x"}\nlog: {level: "${TOKEN}"}');
    expect(problems).toHaveLength(3);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });

  it('cannot access inherited properties', async () => {
    expect(await places('log: {file: "${constructor}"}')).toEqual(['1:14 config.env_missing log.file']);
  });

  it('are not checked in a disabled server', async () => {
    const { config, problems } = await load('servers: {s: {command: "${NO}", enabled: false}}');
    expect(hasErrors(problems)).toBe(false);
    expect(problems).toMatchObject([{ code: 'config.env_missing', severity: 'warning' }]);
    expect(config.servers).toEqual([]);
  });

  it('in brackets need quotes', async () => {
    const { problems } = await load('servers: {s: {command: x, args: [${TOKEN}]}}');
    expect(problems).toMatchObject([
      { code: 'config.syntax', remedy: expect.stringContaining('put quotes around') },
    ]);
  });
});

describe('servers', () => {
  it('keep numbers and booleans as written where a string is expected', async () => {
    const it = await server(
      'command: x\nargs: [1.10, 0x1F, true, 12345678901234567890]\nenv: {PORT: 0123, OK: yes}',
    );
    expect(it).toMatchObject({
      args: ['1.10', '0x1F', 'true', '12345678901234567890'],
      env: { PORT: '0123', OK: 'yes' },
    });
  });

  it('accept every setting', async () => {
    expect(
      await server(
        'url: http://[::1]:80/mcp\nprefix: ""\ntools: ["a*", "!ab"]\ntimeout: 1.5s\nidle: 0\nprotocol: modern',
      ),
    ).toMatchObject({ prefix: '', tools: ['a*', '!ab'], timeout: 1500, idle: 0, protocol: 'modern' });
  });

  it('in the format of other programs may have unknown keys and declare their transport', async () => {
    const text = `{"mcpServers": {
\t"a": {"type": "streamable-http", "url": "https:\\/\\/a.example", "alwaysAllow": ["x"], "timeout": "soon"},
\t"b": {"type": "stdio", "command": "b", "disabled": true, "autoApprove": {"deep": [{}]}}
}}`;
    const { config, problems } = await load(text, '.mcp.json');
    expect(problems).toEqual([]);
    expect(config.servers).toMatchObject([
      { name: 'a', kind: 'http', url: 'https://a.example', timeout: 60_000 },
      { name: 'b', kind: 'stdio', isEnabled: false },
    ]);
  });

  it('that are invalid are all reported and left out', async () => {
    const text = `servers:
  both: {command: x, url: "http://x"}
  none: {prefix: a}
  empty:
  mixed: {url: "http://x", args: [a], env: {A: b}, headers: {"a b": c, d: "e\\nf"}}
  "bad name": {command: x}
  __proto__: {command: x}
  ..: {command: x}
  fine: {command: x}
  twin: {command: x}
mcpServers:
  twin: {command: y}
  sse: {type: sse, url: "http://x/sse"}
  liar: {type: http, command: x}
`;
    expect(await places(text)).toEqual([
      '2:22 config.exclusive servers.both.url',
      '3:9 config.missing servers.none',
      '4:9 config.missing servers.empty',
      '5:28 config.exclusive servers.mixed.args',
      '5:39 config.exclusive servers.mixed.env',
      '5:62 config.bad_name servers.mixed.headers["a b"]',
      '5:75 config.bad_value servers.mixed.headers.d',
      '6:3 config.bad_name servers["bad name"]',
      '7:3 config.bad_name servers.__proto__',
      '8:3 config.bad_name servers[".."]',
      '12:3 config.collision mcpServers.twin',
      '13:15 config.unsupported mcpServers.sse.type',
      '14:10 config.exclusive mcpServers.liar.type',
    ]);
    expect((await load(text)).config.servers.map(({ name }) => name)).toEqual(['fine', 'twin']);
  });
});

describe('problems', () => {
  it('are reported all at once, in file order, with the nearest known key', async () => {
    const { problems } = await load(`servrs: {}
servers:
  s:
    comand: x
    command: [x]
    args: x
    env: [A]
    tools: [1]
    enabled: "yes"
    timeout: 0
    idle: -1
    protocol: Modern
    disabled: true
http: {port: 70000, host: "http://x", auth: maybe}
log: {level: 3}
log: {}
telemetry: {endpoint: "ftp://x", service_name: null}
workspace: {roots: [a, null]}
`);
    expect(problems.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual([
      '1:1 config.unknown_key',
      '4:5 config.unknown_key',
      '5:14 config.wrong_type',
      '6:11 config.wrong_type',
      '7:10 config.wrong_type',
      '8:13 config.wrong_type',
      '9:14 config.wrong_type',
      '10:14 config.bad_value',
      '11:11 config.bad_value',
      '12:15 config.bad_value',
      '13:5 config.unknown_key',
      '14:14 config.bad_value',
      '14:27 config.bad_value',
      '14:45 config.bad_value',
      '15:14 config.wrong_type',
      '16:1 config.duplicate_key',
      '17:23 config.bad_value',
      '18:24 config.wrong_type',
    ]);
    expect(problems[0]?.remedy).toContain('`servers`');
    expect(problems[1]?.remedy).toContain('`command`');
    expect(problems[9]?.remedy).toContain('`modern`');
    expect(problems[10]?.remedy).toContain('enabled: false');
    for (const problem of problems) expect(problem.message && problem.remedy).toMatch(/[.?]$/);
  });

  it('say where a key with dots belongs', async () => {
    const { problems } = await load('context.pin: [a]\nnothing.pin: [a]\n');
    expect(problems.map(({ remedy }) => remedy)).toEqual([
      'Nest `pin:` under `context:`.',
      expect.not.stringContaining('Nest'),
    ]);
  });

  it('with the syntax have a position too, and do not quote the file', async () => {
    expect(await places('servers: {a: {command: "x}\nlog:\n  level: info\n')).toEqual(['4:1 config.syntax ']);
    expect(await places('a: ]\nb: ]\nc: 1\n')).toEqual(['1:4 config.syntax ']);
    expect(await places('a: *b\n')).toEqual(['1:1 config.unknown_key a', '1:4 config.syntax ']);
    expect(await places('log: {}\n---\nlog: {}\n')).toEqual(['2:1 config.syntax ']);
    expect(await places('log: !secret {}\n')).toEqual(['1:6 config.syntax ']);
    expect(await places('- a\n')).toEqual(['1:1 config.wrong_type ']);
  });

  it('cannot write control characters to the terminal', async () => {
    const { problems } = await load('"\\e[2Jx\\u202e\\n": 1\n');
    const line = problems.map(describeProblem).join('');
    expect(line).toContain('\\u001b');
    expect(line).not.toMatch(/[\x00-\x1f\u202e]/);
  });

  it('count columns from 1, even with Windows line endings and a byte order mark', async () => {
    expect(await places('\ufeffhttp: {}\r\nlogg: {}\r\n')).toEqual(['2:1 config.unknown_key logg']);
  });

  it('are limited to a hundred, with the number of further ones', async () => {
    const { problems } = await load(Array.from({ length: 250 }, (_, i) => `k${i}: 1`).join('\n'));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toMatchObject({ code: 'config.too_many_problems', line: 101 });
    expect(problems.at(-1)?.message).toContain('150');
  });

  it('are only warnings for unknown top-level keys of a JSON file', async () => {
    const { problems } = await load('{"mcpServers": {}, "inputs": []}', 'other.json');
    expect(problems).toMatchObject([{ code: 'config.unknown_key', severity: 'warning' }]);
    expect(hasErrors((await load('{"mcpServers": {}, "inputs": []}')).problems)).toBe(true);
  });
});

describe('http.auth: none', () => {
  it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1', '"[::1]"'])('is allowed on %s', async (host) => {
    const { config, problems } = await load(
      `http: {host: ${host.includes(':') ? `"${host.replaceAll('"', '')}"` : host}, auth: none}`,
    );
    expect(problems).toEqual([]);
    expect(config.http.auth).toBe('none');
  });

  it.each(['0.0.0.0', '"::"', '192.168.1.1', '127.0.0.1.example.com', 'localhost.example.com', '128.0.0.1'])(
    'is refused on %s, and the gateway still requires a token',
    async (host) => {
      const { config, problems } = await load(`http: {host: ${host}, auth: none}`);
      expect(problems.map(({ code }) => code)).toEqual(['config.auth_none_not_loopback']);
      expect(config.http.auth).toBe('token');
    },
  );
});
