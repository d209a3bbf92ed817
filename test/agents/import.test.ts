import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inConversation, openScriptedModel } from 'tidegate/testing';
import { describe, expect, it } from 'vitest';
import { runGate } from '../support/run-program.js';
import { agentBinary } from './support/agent-binary.js';
import { type AgentPlace, openAgentPlace } from './support/agent-place.js';

type Model = Awaited<ReturnType<typeof openScriptedModel>>;
const secret = 'madeUpSecret0123456789abcdef';

/** An agent with a server in its own configuration file, and how a user starts it. */
interface Case {
  readonly title: string;
  readonly client: string;
  /** Below home or workspace. */
  readonly file: (place: AgentPlace) => string;
  readonly text: (place: AgentPlace, model: Model) => string;
  readonly others?: (place: AgentPlace) => Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly env: (place: AgentPlace, model: Model) => Readonly<Record<string, string>>;
  /** Whether the agent writes to the file itself. */
  readonly isRewritten?: true;
}

function mcpServers(place: AgentPlace, more: object = {}): object {
  const [command, ...args] = place.serverCommand;
  return { probe: { command, args, env: { PROBE_TOKEN: secret }, ...more } };
}

const claudeFlags = [
  ...['-p', '--model', 'claude-test', '--allowedTools', 'mcp__tidegate'],
  ...['--output-format', 'stream-json', '--verbose'],
];
const claudeEnv: Case['env'] = (_, model) => ({
  ANTHROPIC_BASE_URL: model.origin,
  ANTHROPIC_API_KEY: 'not-a-key',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ENABLE_TOOL_SEARCH: 'false',
});

const cases: readonly Case[] = [
  {
    title: 'Claude Code, the user file',
    client: 'claude',
    file: ({ home }) => join(home, '.claude.json'),
    text: (place) =>
      JSON.stringify({ numStartups: 3, mcpServers: mcpServers(place, { type: 'stdio' }) }, undefined, 2),
    command: [...agentBinary('claude'), ...claudeFlags],
    env: claudeEnv,
    isRewritten: true,
  },
  {
    title: 'Claude Code, .mcp.json',
    client: 'mcp-json',
    file: ({ workspace }) => join(workspace, '.mcp.json'),
    text: (place) => `${JSON.stringify({ mcpServers: mcpServers(place) }, undefined, '\t')}\n`,
    others: ({ home }) => ({
      [join(home, '.claude/settings.json')]: JSON.stringify({ enableAllProjectMcpServers: true }),
    }),
    command: [...agentBinary('claude'), ...claudeFlags],
    env: claudeEnv,
  },
  {
    title: 'Gemini CLI',
    client: 'gemini',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    text: (place) =>
      `// mine\n${JSON.stringify(
        {
          general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          security: { auth: { selectedType: 'gemini-api-key' } },
          mcpServers: mcpServers(place, { trust: true }),
        },
        undefined,
        4,
      )}\n`,
    // The trust in a server is not passed on to Tidegate, so the user grants it here.
    command: [
      ...agentBinary('gemini'),
      ...['-m', 'gemini-2.5-pro', '-o', 'stream-json', '--skip-trust', '--approval-mode', 'yolo'],
    ],
    env: (_, model) => ({
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_API_KEY: 'not-a-key',
      GOOGLE_GEMINI_BASE_URL: model.origin,
    }),
  },
  {
    title: 'Codex',
    client: 'codex',
    file: ({ home }) => join(home, '.codex', 'config.toml'),
    text: (place, model) => `# mine
model = "probe"
model_provider = "probe"
check_for_update_on_startup = false

[model_providers.probe]
name = "probe"
base_url = "${model.url}"
env_key = "PROBE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

# the server
[mcp_servers.probe]
command = ${JSON.stringify(place.serverCommand[0])}
args = ${JSON.stringify(place.serverCommand.slice(1))}
default_tools_approval_mode = "approve"

[mcp_servers.probe.env]
PROBE_TOKEN = "${secret}"

[analytics]
enabled = false
`,
    command: [
      ...agentBinary('codex'),
      ...['exec', '--json', '--skip-git-repo-check', '--disable', 'apps', '--disable', 'plugins'],
      // The approval of a server is not passed on to Tidegate, so the user grants it here.
      ...[
        '--disable',
        'remote_plugin',
        '-c',
        'mcp_servers.tidegate.default_tools_approval_mode="approve"',
        '-',
      ],
    ],
    env: () => ({ PROBE_KEY: 'not-a-key' }),
  },
  {
    title: 'OpenCode',
    client: 'opencode',
    file: ({ home }) => join(home, '.config', 'opencode', 'opencode.jsonc'),
    text: (place, model) =>
      `{
  // mine
  "$schema": "https://opencode.ai/config.json",
  "autoupdate": false, "share": "disabled", "model": "probe/probe", "small_model": "probe/probe",
  "provider": { "probe": { "npm": "@ai-sdk/openai-compatible", "name": "probe",
    "options": { "baseURL": "${model.url}", "apiKey": "not-a-key" },
    "models": { "probe": { "name": "probe", "tool_call": true, "limit": { "context": 200000, "output": 8192 } } } } },
  "mcp": {
    "probe": { "type": "local", "command": ${JSON.stringify(place.serverCommand)}, "environment": { "PROBE_TOKEN": "${secret}" }, "enabled": true },
  },
}
`,
    command: [...agentBinary('opencode'), 'run', '--format', 'json', '--pure', '--title', 'probe'],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
  },
];

const limitMs = 100_000;

async function runToEnd(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stdin.on('error', () => undefined).end('Do as the script says.\n');
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nobody of it is left.
    }
  };
  const timer = setTimeout(end, limitMs);
  await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  end();
  return said;
}

describe.each(cases)('$title', (one) => {
  it('is imported and pointed at Tidegate, calls the server through it, and is restored byte for byte', async () => {
    const place = openAgentPlace();
    const script = inConversation([
      { calls: [{ name: /probe_echo$/, arguments: { text: 'through the gate' } }] },
      { say: 'all done' },
    ]);
    const model = await openScriptedModel(script);
    try {
      const file = one.file(place);
      const all = { ...one.others?.(place), [file]: one.text(place, model) };
      for (const [path, text] of Object.entries(all)) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
      const before = readFileSync(file);
      const plain = { PATH: process.env['PATH'] ?? '', HOME: place.home };
      const tidegate = (...words: readonly string[]) =>
        runGate({ directory: dirname(place.home), env: plain }, ['import', one.client, ...words], {
          cwd: place.workspace,
        });
      const done = await tidegate('--point', '--yes', '--secrets', 'keep', '--gate', 'absolute');
      expect(done.status, done.stderr).toBe(0);
      expect(done.stdout + done.stderr + readFileSync(file, 'utf8')).not.toContain(secret);
      // The server can now be reached only through Tidegate, and its secret comes from the secrets file.
      const said = await runToEnd(one.command, place.workspace, { ...plain, ...one.env(place, model) });
      const calls = place.sentToServer().filter(({ method }) => method === 'tools/call');
      expect(calls, said.slice(-3000)).toMatchObject([
        { params: { name: 'echo', arguments: { text: 'through the gate' } } },
      ]);
      const names = new Set(model.requests.flatMap(({ tools }) => tools));
      expect([...names].filter((name) => /tidegate.*probe_echo$/.test(name))).toHaveLength(1);
      expect(JSON.stringify(model.requests.at(-1)?.results)).toContain('echo said through the gate');
      if (one.isRewritten) {
        const refused = await tidegate('--undo');
        expect(refused.stderr).toContain('import.changed');
        const now = readFileSync(file, 'utf8');
        expect((await tidegate('--undo', '--keep-changes', '--dry-run')).stdout).toContain(
          'Put the servers back',
        );
        expect(readFileSync(file, 'utf8')).toBe(now);
        expect((await tidegate('--undo', '--force')).status).toBe(0);
      } else {
        const undone = await tidegate('--undo');
        expect(undone.status, undone.stderr).toBe(0);
      }
      expect(readFileSync(file)).toEqual(before);
    } finally {
      await model.close();
      place.close();
    }
  });
});
