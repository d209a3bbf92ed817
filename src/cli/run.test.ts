import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Context } from './command.js';
import { commands } from './commands/index.js';
import { exitCodes } from './exit-codes.js';
import { createOutput } from './terminal/output.js';
import { run } from './run.js';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('the command line', () => {
  it.each(commands.map(({ name }) => name))('explains %s with an example', async (name) => {
    const { code, out } = await type(`${name} --help`);
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('Usage: tidegate');
    expect(out).toContain('--json');
    expect(out).toMatch(/Examples:\n {2}tidegate /);
  });

  it.each([
    ['tols list', 'usage.unknown_command', 'Did you mean "tools"?', 'tidegate tools list'],
    ['tools lst', 'usage.unknown_command', 'Did you mean "list"?', 'tidegate tools list'],
    ['config chek', 'usage.unknown_command', 'Did you mean "check"?', 'tidegate config check'],
    ['tols', 'usage.unknown_command', 'Did you mean "tools"?', 'tidegate tools --help'],
    ['exce claude', 'usage.unknown_command', 'Did you mean "exec"?', 'tidegate exec --help'],
    ['tools list --jsno', 'usage.unknown_option', 'Did you mean "--json"?', 'tidegate tools list --help'],
    ['grant agent:a Read --untli 8h', 'usage.unknown_option', 'Did you mean "--until"?', 'tidegate grant'],
    ['audit --deneid', 'usage.unknown_option', 'Did you mean "--denied"?', 'tidegate audit --help'],
    ['audit prun', 'usage.excess_arguments', 'Did you mean "prune"?', 'tidegate audit --help'],
    ['token create --prfile coding', 'usage.unknown_option', 'Did you mean "--profile"?', 'tidegate token'],
    ['tools show', 'usage.missing_argument', 'name', 'tidegate tools show --help'],
    ['config path too much', 'usage.excess_arguments', 'Too many', 'tidegate config path --help'],
    ['serve --port 70000', 'usage.bad_value', '--port', 'tidegate serve --port 0'],
    ['mcp --via nonsense', 'usage.bad_value', '--via', 'tidegate mcp --via http'],
  ])('refuses %j and suggests a command', async (words, code, message, next) => {
    const { code: exit, err } = await type(words);
    expect(exit).toBe(exitCodes.usage);
    expect(err).toContain(`error ${code}: `);
    expect(err).toContain(message);
    expect(err).toContain(`next: ${next}`);
  });

  it.each([
    'mcp --via ftp://ann:hunter2@host',
    'mcp --via http:ann:hunter2@host:x',
    'mcp --vai=http://ann:hunter2@host',
    'mcp --tokn=hunter2',
  ])('never prints a password: %s', async (words) => {
    for (const form of [words, `${words} --json`]) {
      const { code, out, err } = await type(form);
      expect(code).toBe(exitCodes.usage);
      expect(out + err).not.toContain('hunter2');
    }
  });

  it('reports errors as JSON with --json', async () => {
    const { code, out, err } = await type('config path --json', { config: undefined });
    expect(code).toBe(exitCodes.notFound);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'config.not_found' } });
  });

  it.each([
    'tools list',
    'servers',
    'trust --list',
    'trust --yes',
    'config path',
    'mcp',
    'mcp --via http://127.0.0.1:1',
  ])('does nothing with a relative TIDEGATE_HOME: %s', async (words) => {
    const { code, err, place } = await type(words, { home: 'relative' });
    expect(code).toBe(exitCodes.usage);
    expect(err).toContain('error config.relative_home: TIDEGATE_HOME is a relative path: "relative".');
    expect(err).toContain(`such as ${resolve('relative')}`);
    expect(existsSync(join(place.folder, 'relative')) || existsSync('relative')).toBe(false);
  });

  it.each(['', 'tools', 'tools list', 'serve'])(
    'shows the help of %j for `help` before the command',
    async (name) => {
      const { code, out } = await type(`help ${name}`);
      expect({ code, out }).toEqual({ code: exitCodes.ok, out: (await type(`${name} --help`)).out });
    },
  );

  it.each(['config check', 'config path', 'trust'])('suggests init if %s finds no file', async (words) => {
    const { code, err } = await type(words, { config: undefined });
    expect(code).toBe(exitCodes.notFound);
    expect(err).toContain('No tidegate.yaml in this folder or its parent folders');
    expect(err).toContain('next: tidegate init');
    expect(err).not.toContain('--config');
  });

  it('shows help without a command', async () => {
    expect(await type('')).toMatchObject({ code: exitCodes.usage, out: expect.stringContaining('Usage') });
  });
});

describe('config', () => {
  it('prints the path of the file', async () => {
    const { code, out, place } = await type('config path');
    expect({ code, out }).toEqual({ code: exitCodes.ok, out: `${place.file}\n` });
  });

  it('prints the schema', async () => {
    const { out } = await type('config schema', { config: undefined });
    expect(JSON.parse(out)).toMatchObject({ title: 'tidegate.yaml' });
  });

  it('reports every problem with its position, and fails', async () => {
    const config = 'servers:\n  a: {comand: x}\nhttp: {port: many}\n';
    const { code, out } = await type('config check', { config });
    expect(code).toBe(exitCodes.usage);
    expect(out).toMatch(/tidegate\.yaml:2:\d+: error config\.unknown_key: /);
    expect(out).toMatch(/tidegate\.yaml:3:\d+: error config\.wrong_type: /);
    expect(out).toMatch(/has errors\n$/);
    const asJson = await type('config check --json', { config });
    expect(JSON.parse(asJson.out)).toMatchObject({ valid: false, trusted: false });
  });

  it('says whether the file is trusted', async () => {
    const { out, place } = await type('config check');
    expect(out).toContain(
      `trusted: no, so its servers are not started. Review it, then run: tidegate trust ${place.file}`,
    );
    await type('trust --yes', { place });
    expect((await type('config check', { place })).out).toContain('trusted: yes');
  });

  it.each(['config check', 'trust --yes', 'tools list --config', 'servers --config', 'mcp --config'])(
    'says why %s cannot read something that is not a file',
    async (words) => {
      const { place } = await type('config path');
      symlinkSync('loop.yaml', join(place.folder, 'loop.yaml'));
      for (const path of ['loop.yaml', 'tidegate.yaml/x.yaml', 'state']) {
        const { code, out, err } = await type(`${words} ${path}`, { place });
        expect(code).toBe(exitCodes.usage);
        expect(out + err).toContain(`${join(place.folder, path)}:1:1: error config.unreadable: `);
        expect(out + err).toContain('Check that the path is a regular file and that you can read it.');
      }
    },
  );

  it('fails for a file that does not exist', async () => {
    expect(await type('config check nowhere.yaml')).toMatchObject({ code: exitCodes.notFound });
  });
});

describe('trust', () => {
  const evil = `servers:
  files:
    command: node
    args: ["a b", "\\u001b[2Jclean", "\${SECRET_VALUE}"]
    env: {API_KEY: "\${SECRET_VALUE}"}
  web: {url: "https://mcp.example/x", headers: {Authorization: "Bearer \${SECRET_VALUE}"}}
`;

  it('refuses without a terminal, and suggests a command', async () => {
    const { code, err, out, place } = await type('trust', { config: evil });
    expect(code).toBe(exitCodes.untrusted);
    expect(err).toContain(`next: tidegate trust ${place.file} --yes`);
    expect(out).toContain('SHA-256');
    expect((await type('trust --list', { place })).err).toContain('Nothing is trusted yet');
  });

  it('shows exactly what would start, without secrets and with control characters escaped', async () => {
    const { out } = await type('trust', { config: evil, answer: 'n' });
    expect(out).toContain('command  "node"');
    expect(out).toContain('args     "a b"');
    expect(out).toContain('         "${SECRET_VALUE}"');
    expect(out).toContain('env      API_KEY="${SECRET_VALUE}"');
    expect(out).toContain('url      "https://mcp.example/x"');
    expect(out).toContain('headers  Authorization');
    expect(out).not.toContain('hunter2');
    expect(out).not.toContain('\u001b');
  });

  it('shows references with their defaults, whether or not the variable is set', async () => {
    const config = `servers:
  a:
    command: "\${NO_TOOL:-./bin/../evil}"
    args: ["\${SECRET_VALUE:-rm -rf}", "$\${literal}", "\${NO_ARGUMENT:-}"]
    cwd: "\${SECRET_VALUE:-../..}/x"
    env: {KEY: "\${SECRET_VALUE}"}
    timeout: \${PATIENCE:-5s}
  web: {url: "\${NO_URL:-https://evil.example/mcp}"}
http: {host: "\${NO_HOST:-127.0.0.1}", auth: none}
`;
    const { out } = await type('trust', { config, answer: 'n' });
    expect(out).toContain('command  "${NO_TOOL:-./bin/../evil}"');
    expect(out).toContain('args     "${SECRET_VALUE:-rm -rf}"');
    expect(out).toContain('         "$${literal}"');
    expect(out).toContain('         "${NO_ARGUMENT:-}"');
    expect(out).toContain('cwd      "${SECRET_VALUE:-../..}/x"');
    expect(out).toContain('env      KEY="${SECRET_VALUE}"');
    expect(out).toContain('url  "${NO_URL:-https://evil.example/mcp}"');
    expect(out).toContain('  http\n    host  "${NO_HOST:-127.0.0.1}"\n    auth  "none"\n');
    expect(out).not.toContain('hunter2');
  });

  it.each([
    ['y', exitCodes.ok],
    ['YES', exitCodes.ok],
    ['n', exitCodes.untrusted],
    ['', exitCodes.untrusted],
    ['yeah no', exitCodes.untrusted],
  ])('takes the answer %j', async (answer, code) => {
    expect((await type('trust', { answer })).code).toBe(code);
  });

  it('exits as interrupted if Ctrl+C is pressed at the prompt', async () => {
    const { code, err, place } = await type('trust', { answer: 'interrupt' });
    expect(code).toBe(exitCodes.interrupted);
    expect(err).toContain('Interrupted.');
    expect((await type('trust --list', { place })).out).toBe('');
  });

  it('records, lists and forgets', async () => {
    const { place } = await type('trust --yes');
    expect((await type('trust --list', { place })).out).toContain(place.file);
    expect((await type('trust', { place })).out).toContain('Already trusted');
    await type('trust --forget', { place });
    expect((await type('trust --list', { place })).out).toBe('');
  });

  it('forgets a file that no longer exists', async () => {
    const { place } = await type('trust --yes');
    rmSync(place.file);
    expect(await type('trust --forget tidegate.yaml', { place })).toMatchObject({ code: exitCodes.ok });
    expect((await type('trust --list', { place })).out).toBe('');
  });

  it('shows and records the target of a link', async () => {
    const { place } = await type('trust', { answer: 'n' });
    symlinkSync(place.file, join(place.folder, 'link.yaml'));
    expect((await type('trust link.yaml --yes', { place })).out).toContain(`File    ${place.file}\n`);
    expect((await type('trust --list', { place })).out).toContain(place.file);
    expect((await type('config check link.yaml', { place })).out).toContain('trusted: yes');
  });

  it('asks again when the file has changed', async () => {
    const { place } = await type('trust --yes');
    writeFileSync(place.file, `${readFileSync(place.file, 'utf8')}\n# changed\n`);
    expect((await type('trust', { place })).code).toBe(exitCodes.untrusted);
  });

  it('does not trust a file with errors', async () => {
    const { code, err } = await type('trust --yes', { config: 'servers: 7\n' });
    expect(code).toBe(exitCodes.usage);
    expect(err).toContain('config.wrong_type');
  });
});

describe('tools and servers', () => {
  const config = (folder: string): string =>
    JSON.stringify({
      builtins: [],
      log: { level: 'silent' },
      servers: { calc: { command: process.execPath, args: [server(folder)] } },
    });

  it('start no server from an untrusted file, and say so', async () => {
    const { code, err, place } = await type('tools call calc_add a=1 b=2', { config });
    expect(code).toBe(exitCodes.untrusted);
    expect(err).toContain(`next: tidegate trust ${place.file}`);
    expect(await type('servers', { place })).toMatchObject({ out: expect.stringContaining('untrusted') });
  });

  it('exit with a status that shows why the list is empty', async () => {
    const untrusted = await type('tools list --json', { config });
    expect(untrusted).toMatchObject({ code: exitCodes.untrusted, out: '{"tools":[]}\n' });
    expect(untrusted.err).toContain('Servers from an untrusted file are not included');
    const broken = (more: object) =>
      JSON.stringify({ builtins: [], servers: { away: { command: 'no-such-program' }, ...more } });
    const { place } = await type('trust --yes', { config: broken({}) });
    const failed = await type('tools list', { place });
    expect(failed).toMatchObject({ code: exitCodes.unavailable, out: '' });
    expect(failed.err).toMatch(/server away (?:failed|is still starting)/);
    const { place: partly } = await type('trust --yes', {
      config: (folder) => broken({ calc: { command: process.execPath, args: [server(folder)] } }),
    });
    expect(await type('tools list', { place: partly })).toMatchObject({
      code: exitCodes.ok,
      out: expect.stringContaining('calc_add'),
      err: expect.stringMatching(/server away (?:failed|is still starting)/),
    });
    const { place: empty } = await type('trust --yes', { config: 'builtins: []\n' });
    expect(await type('tools list', { place: empty })).toMatchObject({ code: exitCodes.ok });
  });

  it('redact secrets in server errors', async () => {
    const complains = (folder: string): string => {
      const file = join(folder, 'complains.mjs');
      writeFileSync(file, "console.error('cannot log in with token=hunter2hunter2');\nprocess.exit(1);\n");
      return JSON.stringify({ servers: { shy: { command: process.execPath, args: [file] } } });
    };
    const { place } = await type('trust --yes', { config: complains });
    for (const words of ['servers', 'servers --json', 'tools list']) {
      const { out, err } = await type(words, { place });
      expect(out + err).toContain('cannot log in with token=[redacted]');
      expect(out + err).not.toContain('hunter2hunter2');
    }
  });

  it('list, show and call', async () => {
    const { place } = await type('trust --yes', { config });
    expect((await type('tools list', { place })).out).toMatch(
      /^calc_add +server:calc +- +\w+ +Adds two numbers\.\n/,
    );
    expect((await type('tools show calc_add', { place })).out).toContain(
      'tidegate tools call calc_add a=… b=…',
    );
    expect(await type('tools call calc_add a=1 b=2', { place })).toMatchObject({
      code: 0,
      out: '{"a":1,"b":2}\n',
    });
    const exact = await type(`tools call calc_add {"a":12345678901234567890,"b":1} --json`, { place });
    expect(exact.out).toContain('12345678901234567890');
    const piped = await type('tools call calc_add -', { place, input: '{"a": 5}' });
    expect(piped.out).toBe('{"a": 5}\n');
    expect(await type('tools call calc_fail', { place })).toMatchObject({ code: exitCodes.toolError });
    const unknown = await type('tools call calc_ad', { place });
    expect(unknown).toMatchObject({ code: exitCodes.notFound, err: expect.stringContaining('"calc_add"') });
    expect((await type('servers', { place })).out).toMatch(/calc +(ready|idle) /);
    expect(await type('servers cal', { place })).toMatchObject({ code: exitCodes.notFound });
  });
});

interface Place {
  readonly folder: string;
  readonly file: string;
}

interface Circumstances {
  readonly place?: Place;
  readonly config?: string | ((folder: string) => string) | undefined;
  /** The answer typed at the terminal; without it there is no terminal. */
  readonly answer?: string;
  readonly input?: string;
  readonly home?: string;
}

interface Typed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly place: Place;
}

/** Runs a command line in its own folder. */
async function type(words: string, circumstances: Circumstances = {}): Promise<Typed> {
  const place = circumstances.place ?? openPlace(circumstances);
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write: (text: string) => void (said[name] += text),
    isTerminal: false,
    columns: 80,
  });
  const list = words.split(' ').filter((word) => word !== '');
  const { answer } = circumstances;
  const interruption = new AbortController();
  const context: Context = {
    cwd: place.folder,
    env: {
      PATH: process.env['PATH'],
      HOME: place.folder,
      TIDEGATE_HOME: circumstances.home ?? join(place.folder, 'state'),
      SECRET_VALUE: 'hunter2',
    },
    version: '1.2.3',
    output: createOutput(sink('out'), sink('err'), list.includes('--json'), true),
    signal: interruption.signal,
    lendTerminal: () => undefined,
    input: {
      isTerminal: answer !== undefined,
      readAll: () => Promise.resolve(circumstances.input ?? ''),
      ask() {
        if (answer === 'interrupt') interruption.abort();
        return Promise.resolve(answer === 'interrupt' ? '' : (answer ?? ''));
      },
    },
  };
  const code = await run(list, context, (text) => void (said.out += text));
  return { code, ...said, place };
}

function openPlace(circumstances: Circumstances): Place {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-cli-'));
  folders.push(folder);
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  const file = join(folder, 'tidegate.yaml');
  const config = 'config' in circumstances ? circumstances.config : 'servers:\n  a: {command: node}\n';
  if (config !== undefined) writeFileSync(file, typeof config === 'string' ? config : config(folder));
  return { folder, file };
}

/** A stateful MCP server that echoes its arguments. */
function server(folder: string): string {
  const file = join(folder, 'server.mjs');
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
const number = { type: 'number' };
const add = { name: 'add', description: 'Adds two numbers.\\nReally.', inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] } };
const fail = { name: 'fail', inputSchema: { type: 'object' } };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const raw = /"arguments":(\\{[^}]*\\})/.exec(line)?.[1] ?? '{}';
  const answer = method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'calc', version: '1' } }
    : method === 'tools/list' ? { tools: [add, fail] }
    : method === 'tools/call' ? { content: [{ type: 'text', text: raw }], isError: params.name === 'fail' }
    : undefined;
  const tail = answer ? { result: answer } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...tail }) + '\\n');
}
process.exit(0);
`,
  );
  return file;
}
