import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const agentNames = ['claude', 'gemini', 'codex', 'opencode'] as const;
export type AgentName = (typeof agentNames)[number];

const system = `${process.platform}-${process.arch}`;
const codexTarget: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/** The programs themselves, because wrappers would intercept signals. */
const paths: Readonly<Record<AgentName, string>> = {
  claude: `@anthropic-ai/claude-code-${system}/claude`,
  gemini: '@google/gemini-cli/bundle/gemini.js',
  codex: `@openai/codex-${system}/vendor/${codexTarget[system] ?? system}/bin/codex`,
  opencode: `opencode-${system}/bin/opencode`,
};

/** How to start an agent. Throws if it is not installed, because the suite would test nothing. */
export function agentBinary(name: AgentName): readonly [command: string, ...args: string[]] {
  const path = agentFile(name);
  return name === 'gemini' ? [process.execPath, path] : [path];
}

/** The path of the executable. */
export function agentFile(name: AgentName): string {
  const path = fileURLToPath(new URL(`../node_modules/${paths[name]}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`${name} is not installed: run \`npm run test:agents\``);
  return path;
}
