import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ClientPlace } from './client.js';
import { clients } from './clients.js';
import { serversIn } from './found.js';

const project = '/home/ana/project';
const linux: ClientPlace = { platform: 'linux', home: '/home/ana', folders: [project], env: {} };

function fixture(name: string): string {
  return readFileSync(new URL(`../../test/fixtures/clients/${name}`, import.meta.url), 'utf8');
}

function clientOf(name: string) {
  const found = clients.find((client) => client.name === name);
  if (found === undefined) throw new Error(`no client ${name}`);
  return found;
}

/** Each server as one line: name, state, start command and settings. */
function told(name: string, file: string, scope: 'user' | 'project' = 'user'): readonly string[] {
  const where = { path: file, scope, ...(scope === 'project' && { folder: project }) };
  return serversIn(clientOf(name), fixture(file), where, linux).map((found) => {
    const { server, why } = found;
    if (server === undefined) return `${found.name}: it ${String(why)}`;
    const { start, isEnabled, tools, timeoutMs, notes } = server;
    const words = start.kind === 'stdio' ? [start.command, ...start.args] : [start.url];
    const more = start.kind === 'stdio' ? start.env : start.headers;
    const rest = {
      ...more,
      ...(tools && { tools }),
      ...(timeoutMs && { timeoutMs }),
      ...(notes.length > 0 && { notes }),
    };
    const said = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
    return `${found.name}${isEnabled ? '' : ' (off)'}: ${words.join(' ')}${said}`;
  });
}

describe('the servers of', () => {
  it('Claude Code: those of the user and of this project only', () => {
    expect(told('claude', 'claude/.claude.json')).toEqual([
      'github: npx -y @modelcontextprotocol/server-github {"GITHUB_PERSONAL_ACCESS_TOKEN":"ghp_madeUpForTests0000000000000000000001","GITHUB_HOST":"https://github.example.com"}',
      'sentry: https://mcp.sentry.example/mcp {"Authorization":"Bearer ${SENTRY_TOKEN}"}',
      'asana: it uses SSE, which Tidegate does not support: use its Streamable HTTP URL',
      'postgres: npx -y @modelcontextprotocol/server-postgres postgres://ana:hunter2hunter2@db.example:5432/shop',
      'old (off): old-server',
    ]);
  });

  it('.mcp.json', () => {
    expect(told('mcp-json', 'mcp-json/.mcp.json', 'project')).toEqual([
      'local-tools: node ./tools/server.js --root ${PROJECT_ROOT:-.}',
      'docs: https://docs.example.com/mcp',
    ]);
  });

  it('Claude Desktop, which has no references', () => {
    expect(told('claude-desktop', 'claude-desktop/claude_desktop_config.json')).toEqual([
      'filesystem: npx -y @modelcontextprotocol/server-filesystem C:\\Users\\ana\\Documents',
      'github: npx -y @modelcontextprotocol/server-github {"GITHUB_PERSONAL_ACCESS_TOKEN":"ghp_madeUpForTests0000000000000000000002"}',
      'template: render $${not a reference}',
    ]);
  });

  it('Gemini CLI, with its tool lists', () => {
    expect(told('gemini', 'gemini/settings.json')).toEqual([
      'jira: uvx mcp-jira --url https://jira.example.com {"JIRA_TOKEN":"${JIRA_TOKEN}","JIRA_USER":"${JIRA_USER:-ana}","tools":["search","get_issue","!delete_issue"],"timeoutMs":30000,"notes":["trust is not imported: it would apply to all tools of Tidegate"]}',
      'maps: https://maps.example.com/mcp {"X-Goog-Api-Key":"AIzaMadeUpForTests00000000000000000003","notes":["trust is not imported: it would apply to all tools of Tidegate"]}',
      'legacy: it uses SSE, which Tidegate does not support: use its Streamable HTTP URL',
      'weather: https://weather.example.com/mcp {"notes":["trust is not imported: it would apply to all tools of Tidegate"]}',
      'experiments (off): experiments-server {"notes":["trust is not imported: it would apply to all tools of Tidegate"]}',
    ]);
  });

  it('Codex, with forwarded variables', () => {
    expect(told('codex', 'codex/config.toml')).toEqual([
      'context7: npx -y @upstash/context7-mcp {"CONTEXT7_API_KEY":"${CONTEXT7_API_KEY}"}',
      'linear: https://mcp.linear.example/mcp {"X-Team":"shop","X-Trace":"${TRACE_ID}","Authorization":"Bearer ${LINEAR_TOKEN}","tools":["list_issues"],"timeoutMs":45500}',
      'db tools: db-tools --dsn mysql://root:correct-horse@db.example/shop {"DB_PASSWORD":"swordfish-battery","NOTE":"[mcp_servers.fake]\\nnot a table\\n"}',
      'off (off): off-server',
    ]);
  });

  it('OpenCode, in both of its spellings', () => {
    expect(told('opencode', 'opencode/opencode.jsonc')).toEqual([
      'browser: npx -y @playwright/mcp@latest {"BROWSER_TOKEN":"${BROWSER_TOKEN}"}',
      'search: https://search.example.com/mcp?api_key=madeUpKey0000000000000004 {"X-Client":"opencode"}',
      'paused (off): paused-server',
      'from-file: it reads a value from a file: set that value by hand',
    ]);
    expect(told('opencode', 'opencode/opencode-2.json')).toEqual(['browser: npx -y @playwright/mcp@latest']);
  });

  it('Cursor, with its folder placeholders', () => {
    expect(told('cursor', 'cursor/mcp.json', 'project')).toEqual([
      'figma: https://figma.example.com/mcp {"Authorization":"Bearer ${FIGMA_TOKEN}"}',
      'notes: /home/ana/bin/notes-server --workspace /home/ana/project --token madeUpToken00000000005 {"LOG_LEVEL":"debug","notes":["its envFile is not read: set the variables in its env"]}',
    ]);
  });

  it('VS Code, with its inputs', () => {
    expect(told('vscode', 'vscode/mcp.json', 'project')).toEqual([
      'perplexity: npx -y server-perplexity-ask {"PERPLEXITY_API_KEY":"${PERPLEXITY_KEY}"}',
      'github: https://api.github.example/mcp/ {"Authorization":"Bearer ghp_madeUpForTests0000000000000000000006"}',
    ]);
  });
});

describe('the files of each client', () => {
  const paths = (place: ClientPlace) =>
    Object.fromEntries(clients.map((client) => [client.name, client.files(place).map(({ path }) => path)]));

  it('on Linux', () => {
    expect(paths(linux)).toMatchObject({
      claude: ['/home/ana/.claude.json'],
      'mcp-json': ['/home/ana/project/.mcp.json'],
      'claude-desktop': ['/home/ana/.config/Claude/claude_desktop_config.json'],
      gemini: ['/home/ana/.gemini/settings.json', '/home/ana/project/.gemini/settings.json'],
      codex: ['/home/ana/.codex/config.toml', '/home/ana/project/.codex/config.toml'],
      cursor: ['/home/ana/.cursor/mcp.json', '/home/ana/project/.cursor/mcp.json'],
      vscode: [
        '/home/ana/.config/Code/User/mcp.json',
        '/home/ana/.config/Code - Insiders/User/mcp.json',
        '/home/ana/project/.vscode/mcp.json',
      ],
    });
    expect(paths(linux)['opencode']).toEqual([
      '/home/ana/.config/opencode/opencode.json',
      '/home/ana/.config/opencode/opencode.jsonc',
      '/home/ana/.config/opencode/config.json',
      '/home/ana/project/opencode.json',
      '/home/ana/project/.opencode/opencode.json',
      '/home/ana/project/opencode.jsonc',
      '/home/ana/project/.opencode/opencode.jsonc',
    ]);
  });

  it('on macOS', () => {
    const mac: ClientPlace = { ...linux, platform: 'darwin', home: '/Users/ana', folders: [] };
    expect(paths(mac)).toMatchObject({
      'claude-desktop': ['/Users/ana/Library/Application Support/Claude/claude_desktop_config.json'],
      vscode: [
        '/Users/ana/Library/Application Support/Code/User/mcp.json',
        '/Users/ana/Library/Application Support/Code - Insiders/User/mcp.json',
      ],
      codex: ['/Users/ana/.codex/config.toml'],
      cursor: ['/Users/ana/.cursor/mcp.json'],
    });
  });

  it('on Windows', () => {
    const home = 'C:\\Users\\ana';
    const windows: ClientPlace = {
      platform: 'win32',
      home,
      folders: ['C:\\work'],
      env: { APPDATA: `${home}\\AppData\\Roaming` },
    };
    expect(paths(windows)).toMatchObject({
      claude: [`${home}\\.claude.json`],
      'mcp-json': ['C:\\work\\.mcp.json'],
      'claude-desktop': [`${home}\\AppData\\Roaming\\Claude\\claude_desktop_config.json`],
      gemini: [`${home}\\.gemini\\settings.json`, 'C:\\work\\.gemini\\settings.json'],
      codex: [`${home}\\.codex\\config.toml`, 'C:\\work\\.codex\\config.toml'],
      cursor: [`${home}\\.cursor\\mcp.json`, 'C:\\work\\.cursor\\mcp.json'],
    });
    expect(paths(windows)['opencode']?.[0]).toBe(`${home}\\.config\\opencode\\opencode.json`);
    expect(paths(windows)['vscode']?.[0]).toBe(`${home}\\AppData\\Roaming\\Code\\User\\mcp.json`);
  });

  it('can be moved with environment variables', () => {
    const env = {
      CLAUDE_CONFIG_DIR: '/c',
      GEMINI_CLI_HOME: '/g',
      CODEX_HOME: '/x',
      XDG_CONFIG_HOME: '/xdg',
      OPENCODE_CONFIG: '/o.json',
      OPENCODE_CONFIG_DIR: '/od',
      VSCODE_PORTABLE: '/vp',
    };
    expect(paths({ ...linux, folders: [], env })).toEqual({
      claude: ['/c/.claude.json'],
      'mcp-json': [],
      'claude-desktop': ['/xdg/Claude/claude_desktop_config.json'],
      gemini: ['/g/.gemini/settings.json'],
      codex: ['/x/config.toml'],
      opencode: [
        '/xdg/opencode/opencode.json',
        '/xdg/opencode/opencode.jsonc',
        '/xdg/opencode/config.json',
        '/o.json',
        '/od/opencode.json',
        '/od/opencode.jsonc',
      ],
      cursor: ['/home/ana/.cursor/mcp.json'],
      vscode: ['/vp/user-data/User/mcp.json'],
    });
  });
});

describe('a Tidegate entry', () => {
  const gate = { command: '/usr/bin/node', args: ['/opt/tidegate/dist/tidegate.js', 'mcp'], env: {} };
  it.each(clients.map(({ name }) => name))('is recognized as written by %s', (name) => {
    const client = clientOf(name);
    const format = client.format;
    const file = { path: 'x', scope: 'project' as const, folder: project };
    const [section] = client.sections(format.parse(''), file, linux);
    const text = format.splice('', {
      section: section?.path ?? [],
      remove: [],
      add: { name: 't', entry: client.tidegateEntry(gate) },
    });
    expect(serversIn(client, text, file, linux)).toMatchObject([{ name: 't', isTidegate: true }]);
  });

  it('is recognized by other start commands, but servers with a similar name are not', () => {
    const said = (command: string, ...args: string[]) =>
      serversIn(
        clientOf('cursor'),
        JSON.stringify({ mcpServers: { a: { command, args } } }),
        { path: '', scope: 'user' },
        linux,
      )[0]?.isTidegate;
    expect(said('tidegate', 'mcp')).toBe(true);
    expect(said('npx', '-y', 'tidegate@0.1.0', 'mcp', '--config', 'x')).toBe(true);
    expect(said('C:\\bin\\tidegate.cmd', 'mcp')).toBe(true);
    expect(said('npx', '-y', 'tidegate-docs', 'mcp')).toBe(false);
    expect(said('tidegate', 'serve')).toBe(false);
  });
});
