// A fake Claude Code that leaks the ticket file of its launch. Its prompt decides what it does next: `hides` leaves a
// connected process behind; any other word waits for a file `<word> may end`.
import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);

export async function act(folder) {
  // Only an isolation test.
  if (process.env.TRIAL_KEY !== undefined) process.exit(1);
  const args = process.argv.slice(2);
  const config = JSON.parse(readFileSync(args[args.indexOf('--mcp-config') + 1], 'utf8'));
  const [[server, { args: words }]] = Object.entries(config.mcpServers);
  const mode = (await text(process.stdin)).trim();
  const stolen = join(folder, `${mode}.json`);
  copyFileSync(words.at(-1), `${stolen}.new`);
  renameSync(`${stolen}.new`, stolen);
  const log = join(folder, 'hidden.log');
  if (mode === 'hides') {
    const options = { detached: true, stdio: 'ignore', env: {} };
    spawn(process.execPath, [self, 'hidden', stolen, log], options).unref();
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('serverInfo'));
  } else await until(() => existsSync(join(folder, `${mode} may end`)));
  const mcp_servers = [{ name: server, status: 'connected' }];
  console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', tools: [], mcp_servers }));
  console.log(
    JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'x', usage: {} }),
  );
}

/** In a separate session and without an environment, so that it can be found only by its socket. */
function hide([file, log]) {
  const { address, ticket } = JSON.parse(readFileSync(file, 'utf8'));
  const socket = connect(address);
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  socket.write(`${ticket}\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  socket.on('data', (part) => appendFileSync(log, part));
  socket.on('error', () => undefined);
  socket.on('close', () => appendFileSync(log, 'put out\n'));
}

async function until(isTrue) {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50));
}

if (process.argv[1] === self && process.argv[2] === 'hidden') hide(process.argv.slice(3));
