import { describe, expect, it } from 'vitest';
import { clients, serversIn, type ServerStart, variableName } from '../../clients/index.js';
import { braces, dollar, editor, shellLike, translate } from '../../clients/notation.js';
import { createHiding, referencesIn } from './hide-secrets.js';
import { withoutSecrets } from './secrets-of.js';

const http = (url: string, headers: Readonly<Record<string, string>> = {}): ServerStart => ({
  kind: 'http',
  url,
  headers,
});
const stdio = (args: readonly string[], env: Readonly<Record<string, string>> = {}): ServerStart => ({
  kind: 'stdio',
  command: 'x',
  args,
  env,
});

function hidden(start: ServerStart, more: Partial<Parameters<typeof createHiding>[0]> = {}) {
  const hiding = createHiding({
    env: {},
    kept: { valueOf: () => undefined },
    referenced: new Set(),
    ...more,
  });
  const next = withoutSecrets('my server', start, hiding.hideFor('one'));
  return { next, secrets: Object.fromEntries(hiding.secrets().map(({ name, value }) => [name, value])) };
}

describe('plain-text secrets', () => {
  it.each<[string, ServerStart, ServerStart, Readonly<Record<string, string>>]>([
    [
      'a variable by its name',
      stdio([], { API_KEY: 'abc' }),
      stdio([], { API_KEY: '${API_KEY}' }),
      { API_KEY: 'abc' },
    ],
    [
      'a variable by its shape',
      stdio([], { X: 'ghp_0123456789abcdefghij0123456789abcdef' }),
      stdio([], { X: '${X}' }),
      { X: 'ghp_0123456789abcdefghij0123456789abcdef' },
    ],
    [
      'a default that looks like a secret, and no other default',
      stdio(['--x', 'a ${Y:-ghp_0123456789abcdefghij0123456789abcdef}'], { A: '${B:-plain}' }),
      stdio(['--x', 'a ${Y}'], { A: '${B:-plain}' }),
      { Y: 'ghp_0123456789abcdefghij0123456789abcdef' },
    ],
    [
      'a flag and its value',
      stdio(['--token', 'abc', '--api-key=def', '--port', '80']),
      stdio(['--token', '${MY_SERVER_TOKEN}', '--api-key=${MY_SERVER_API_KEY}', '--port', '80']),
      { MY_SERVER_TOKEN: 'abc', MY_SERVER_API_KEY: 'def' },
    ],
    [
      'a header in an argument',
      stdio(['mcp-remote', '--header', 'Authorization: Bearer abcdef']),
      stdio(['mcp-remote', '--header', 'Authorization: Bearer ${MY_SERVER_TOKEN}']),
      { MY_SERVER_TOKEN: 'abcdef' },
    ],
    [
      'the password in a URL',
      stdio(['postgres://ana:p@ss@db/x']),
      stdio(['postgres://ana:${MY_SERVER_PASSWORD}@db/x']),
      { MY_SERVER_PASSWORD: 'p@ss' },
    ],
    [
      'a header, without its scheme',
      http('https://x/mcp', { Authorization: 'Bearer abc', 'X-Api-Key': 'def', Accept: 'text/plain' }),
      http('https://x/mcp', {
        Authorization: 'Bearer ${MY_SERVER_TOKEN}',
        'X-Api-Key': '${MY_SERVER_X_API_KEY}',
        Accept: 'text/plain',
      }),
      { MY_SERVER_TOKEN: 'abc', MY_SERVER_X_API_KEY: 'def' },
    ],
    [
      'a URL parameter',
      http('https://x/mcp?api_key=abc&page=2'),
      http('https://x/mcp?api_key=${MY_SERVER_API_KEY}&page=2'),
      { MY_SERVER_API_KEY: 'abc' },
    ],
    [
      'a random word in a URL path',
      http('https://x/s/sk-0123456789abcdefABCDEF/mcp'),
      http('https://x/s/${MY_SERVER_URL_SECRET}/mcp'),
      { MY_SERVER_URL_SECRET: 'sk-0123456789abcdefABCDEF' },
    ],
    [
      'user and password in a URL, which become a header',
      http('https://ana:pw@x/mcp'),
      http('https://x/mcp', { Authorization: 'Basic ${MY_SERVER_BASIC_AUTH}' }),
      { MY_SERVER_BASIC_AUTH: Buffer.from('ana:pw').toString('base64') },
    ],
    [
      'an escaped value, decoded',
      stdio([], { API_KEY: 'a$${b' }),
      stdio([], { API_KEY: '${API_KEY}' }),
      { API_KEY: 'a${b' },
    ],
  ])('are found: %s', (_, start, wanted, secrets) => {
    expect(hidden(start)).toEqual({ next: wanted, secrets });
  });

  it.each<ServerStart>([
    stdio([
      '-y',
      '@modelcontextprotocol/server-filesystem',
      '/home/ana/some/long/path1234567890',
      '--max-tokens',
      '4096',
    ]),
    stdio([], {
      LOG_LEVEL: 'debug',
      HOST: 'https://github.example.com',
      PATH_TO: '/opt/x',
      TOKEN: '${TOKEN}',
      API_KEY: '',
    }),
    http('https://api.example.com/v1/mcp/', { Authorization: 'Bearer ${T:-x}', 'X-Client': 'opencode' }),
  ])('are not found in ordinary values: %j', (start) => {
    expect(hidden(start)).toEqual({ next: start, secrets: {} });
  });

  it('get a name that does not expose them to another server', () => {
    const start = stdio([], { API_KEY: 'mine' });
    const named = (more: Parameters<typeof hidden>[1]) => Object.keys(hidden(start, more).secrets);
    expect(named({})).toEqual(['API_KEY']);
    // Another server uses the name, and its value is unknown.
    expect(named({ referenced: new Set(['API_KEY']) })).toEqual(['MY_SERVER_API_KEY']);
    expect(named({ env: { API_KEY: 'another' } })).toEqual(['MY_SERVER_API_KEY']);
    expect(named({ kept: { valueOf: (name) => (name === 'API_KEY' ? 'another' : undefined) } })).toEqual([
      'MY_SERVER_API_KEY',
    ]);
    expect(named({ env: { API_KEY: 'a', MY_SERVER_API_KEY: 'b' } })).toEqual(['MY_SERVER_API_KEY_2']);
    // The same value may share a name.
    expect(named({ env: { API_KEY: 'mine' }, referenced: new Set(['API_KEY']) })).toEqual(['API_KEY']);
  });

  it('are found only in complete references', () => {
    expect(referencesIn('${A} $${B} ${C:-d} $D {E}')).toEqual(['A', 'C']);
  });
});

describe('texts designed to be slow', () => {
  const size = 200_000;
  const plain = 'a'.repeat(size);
  const hostile: Readonly<Record<string, string>> = {
    underscores: `a${'_'.repeat(size)}a`,
    dashes: `a${'-'.repeat(size)}a`,
    colons: `a://${':'.repeat(size)}`,
    'colons and signs': `a://${':@'.repeat(size / 2)} `,
    references: '${a:-'.repeat(size / 5),
    braces: '${'.repeat(size / 2),
  };
  const start = (text: string): ServerStart => ({
    kind: 'stdio',
    command: 'x',
    args: [text, `--key=${text}`],
    env: { [text]: text, KEY: text },
  });
  /** The best of three, at least the clock's resolution. */
  const msOf = (work: () => unknown): number => {
    const once = (): number => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    };
    return Math.max(1, Math.min(once(), once(), once()));
  };
  const readAll = (text: string): void => {
    withoutSecrets('own', start(text), ({ names }) => `\${${String(names[0])}}`);
    referencesIn(text);
    variableName(text);
    for (const notation of [shellLike, dollar, editor, braces])
      translate(text, notation, {
        place: { platform: 'linux', home: '/h', folders: [], env: {} },
        section: { path: [] },
      });
  };

  it.each(Object.keys(hostile))('take no longer than other texts of their size: %s', (name) => {
    const usual = msOf(() => readAll(plain));
    expect(msOf(() => readAll(hostile[name] ?? '')) / usual).toBeLessThan(50);
  });

  it('the control: a pattern that backtracks at every character takes far longer', () => {
    // A tenth of the size; otherwise it would take too long.
    const [few, many] = [plain.slice(0, size / 10), `a${'_'.repeat(size / 10)}a`];
    const trim = (text: string): string => text.replace(/^_+|_+$/g, '');
    expect(msOf(() => trim(many)) / msOf(() => trim(few))).toBeGreaterThan(50);
  });

  it('are not imported, and reported', () => {
    const client = clients.find(({ name }) => name === 'cursor');
    if (client === undefined) throw new Error('no such client');
    const whyOf = (entry: object): string | undefined =>
      serversIn(
        client,
        JSON.stringify({ mcpServers: { a: entry } }),
        { path: 'x', scope: 'user' },
        { platform: 'linux', home: '/h', folders: [], env: {} },
      )[0]?.why;
    expect(whyOf({ command: 'x', env: { ['A'.repeat(129)]: 'x' } })).toContain('128 characters');
    expect(whyOf({ command: 'x', args: ['A'.repeat(64 * 1024 + 1)] })).toContain('64 KiB');
    expect(whyOf({ command: 'x', env: { ['A'.repeat(128)]: 'A'.repeat(64 * 1024) } })).toBeUndefined();
  });
});
