import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const limitMs = 60_000;

/** A minimal MCP client over stdio, as thin as the servers it measures. */
export function openClient(command, environment = {}, cwd = undefined) {
  const child = spawn(command[0], command.slice(1), {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = new Promise((done) => child.once('exit', done));
  const waiting = new Map();
  let nextId = 0;
  let bytes = 0;
  const fail = (why) => {
    for (const { failed } of waiting.values()) failed(new Error(`${command.join(' ')}: ${why}`));
  };
  child.on('error', (error) => fail(error.message));
  child.stdin.on('error', () => {});
  void exited.then((code) => fail(`exited with ${code}`));
  createInterface({ input: child.stdout }).on('line', (line) => {
    bytes += Buffer.byteLength(line) + 1;
    const message = JSON.parse(line);
    waiting.get(message.id)?.done(message);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    pid: child.pid,
    bytes: () => bytes,
    request(method, params) {
      const id = ++nextId;
      return new Promise((done, failed) => {
        const timer = setTimeout(() => failed(new Error(`${method}: no answer`)), limitMs);
        const settle = (end) => (value) => {
          clearTimeout(timer);
          waiting.delete(id);
          end(value);
        };
        waiting.set(id, { done: settle(done), failed: settle(failed) });
        send({ id, method, params });
      });
    },
    async initialize() {
      const clientInfo = { name: 'bench', version: '1' };
      await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      send({ method: 'notifications/initialized' });
    },
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await exited;
      clearTimeout(timer);
    },
  };
}
