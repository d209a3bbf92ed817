// Stands in for an agent CLI: it speaks no model, comes to the gate as it was told to, and then says what a test wants.
// TRIAL_KEY in its environment tells it that it is only tried.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Where each CLI is told of its server. */
const servers = {
  claude(args) {
    const file = args[args.indexOf('--mcp-config') + 1];
    return Object.entries(JSON.parse(readFileSync(file, 'utf8')).mcpServers)[0];
  },
  gemini: () =>
    Object.entries(
      JSON.parse(readFileSync(`${process.env.GEMINI_CLI_HOME}/.gemini/settings.json`, 'utf8')).mcpServers,
    )[0],
  codex(args) {
    const given = args.find((one) => one.startsWith('mcp_servers.'));
    const [, name, command, list] = /^mcp_servers\.(\w+)=\{command=(".*?"),args=(\[.*?\])/.exec(given);
    return [name, { command: JSON.parse(command), args: JSON.parse(list) }];
  },
  opencode() {
    const [name, { command }] = Object.entries(JSON.parse(process.env.OPENCODE_CONFIG_CONTENT).mcp)[0];
    return [name, { command: command[0], args: command.slice(1) }];
  },
};

export async function act({ cli, lines, trialLines = [], log, stays = false }) {
  const args = process.argv.slice(2);
  if (args[0] === '--version') return void console.log('1.0.0');
  // What Codex is asked for its models.
  if (args[0] === 'debug') return void console.log(JSON.stringify({ models: [{ slug: 'fake' }] }));
  const [server, { command, args: words }] = servers[cli](args);
  const isTrial = process.env.TRIAL_KEY !== undefined;
  appendFileSync(log, `${JSON.stringify({ isTrial, server, args, command, words })}\n`);
  if (stays && !isTrial) return void setInterval(() => undefined, 1000);
  const gate = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: gate.stdout })[Symbol.asyncIterator]();
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'fake', version: '1' },
  };
  gate.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await answers.next();
  for (const line of isTrial ? trialLines : lines)
    console.log(JSON.stringify(line).replaceAll('SERVER', server));
  gate.stdin.end();
  gate.once('exit', () => process.exit(0));
}
