// The real CLIs, started like a user would for one answer.
import { fileURLToPath } from 'node:url';

const system = `${process.platform}-${process.arch}`;
const codexTarget = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}[system];
const at = (path) => fileURLToPath(new URL(`../../test/agents/node_modules/${path}`, import.meta.url));
const origin = (model) => model.origin;
const url = (model) => model.url;

const geminiSettings = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: 'gemini-api-key' } },
};

export const agents = [
  {
    name: 'claude',
    title: 'Claude Code',
    file: at(`@anthropic-ai/claude-code-${system}/claude`),
    model: 'claude-test',
    address: origin,
    read: { name: 'Read', arguments: { file_path: 'note.txt' } },
    bare: (model) => ({
      args: ['-p', '--model', 'claude-test', '--output-format', 'stream-json', '--verbose'],
      env: { ANTHROPIC_BASE_URL: model.origin, ANTHROPIC_API_KEY: 'not-a-key', ENABLE_TOOL_SEARCH: 'false' },
    }),
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    file: at('@google/gemini-cli/bundle/gemini.js'),
    model: 'gemini-2.5-pro',
    address: origin,
    read: { name: 'read_file', arguments: { file_path: 'note.txt' } },
    bare: (model) => ({
      args: ['-m', 'gemini-2.5-pro', '-o', 'stream-json', '--skip-trust'],
      env: { GOOGLE_GEMINI_BASE_URL: model.origin, GEMINI_API_KEY: 'not-a-key' },
      files: { '.gemini/settings.json': JSON.stringify(geminiSettings) },
    }),
  },
  {
    name: 'codex',
    title: 'Codex',
    file: at(`@openai/codex-${system}/vendor/${codexTarget}/bin/codex`),
    model: 'gpt-5.5',
    address: url,
    read: { name: 'exec_command', arguments: { cmd: 'cat note.txt' } },
    bare: (model) => ({
      args: [
        ...['exec', '--json', '--skip-git-repo-check', '-m', 'gpt-5.5', '-c', 'model_provider=bench'],
        ...[
          '-c',
          `model_providers.bench={name="bench",base_url="${model.url}",env_key="BENCH_KEY",wire_api="responses"}`,
        ],
        ...['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'],
        ...['--dangerously-bypass-approvals-and-sandbox', '-'],
      ],
      env: {},
    }),
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    file: at(`opencode-${system}/bin/opencode`),
    model: 'bench',
    address: url,
    read: { name: 'read', arguments: { filePath: 'note.txt' } },
    bare: (model) => ({
      args: ['run', '--format', 'json', '--title', 'bench'],
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(model)) },
    }),
  },
];

function opencodeConfig({ url: baseURL }) {
  const models = { bench: { name: 'bench', tool_call: true, limit: { context: 200000, output: 8192 } } };
  const options = { baseURL, apiKey: 'not-a-key' };
  return {
    autoupdate: false,
    model: 'bench/bench',
    small_model: 'bench/bench',
    provider: { bench: { npm: '@ai-sdk/openai-compatible', name: 'bench', options, models } },
  };
}
