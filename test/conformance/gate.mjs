// The built gate in front of an upstream, in a home of its own so that nothing of the user's is touched.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openChild, run } from './child.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const PROGRAM = join(ROOT, 'dist/tidegate.js');
export const FIXTURE = join(ROOT, 'test/fixtures/servers/conformance-server.mjs');

const START_MS = 20_000;
const READY_MS = 5000;

export const isBuilt = () => existsSync(PROGRAM);

/** The environment of every process of ours: a path to find programs, and a home inside `directory`. */
export const environment = (directory) => ({
  PATH: process.env.PATH,
  HOME: directory,
  TIDEGATE_HOME: join(directory, 'home'),
});

/** A `servers:` entry for the fixture over stdio. */
export const fixtureServer = (era, more = {}) => ({
  command: process.execPath,
  args: [FIXTURE],
  env: { FIXTURE_ERA: era, FIXTURE_PAGE_SIZE: '7' },
  prefix: '',
  caller_roots: true,
  ...more,
});

/** A `servers:` entry for an inner `tidegate mcp` that reads the configuration `config`. */
export const bridgeServer = (config, directory, more = {}) => ({
  command: process.execPath,
  args: [PROGRAM, 'mcp', '--config', config],
  env: environment(directory),
  prefix: '',
  caller_roots: true,
  ...more,
});

/** How to start `tidegate mcp` on the configuration `config`. */
export const mcpCommand = (config) => ({
  command: process.execPath,
  args: [PROGRAM, 'mcp', '--config', config],
});

/** Writes a configuration and trusts it; gives its path. JSON is YAML. */
export async function writeConfig(directory, settings) {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'tidegate.yaml');
  // Only the tools of the server are looked at here, and two gates in a row would both bring the built-in ones.
  writeFileSync(path, `${JSON.stringify({ builtins: [], ...settings }, undefined, 2)}\n`);
  const options = { cwd: directory, env: environment(directory), timeoutMs: START_MS };
  const { code, stdout, stderr } = await run(process.execPath, [PROGRAM, 'trust', '--yes', path], options);
  if (code !== 0) throw new Error(`tidegate trust ended with ${code}:\n${stdout}${stderr}`);
  return path;
}

/** `tidegate serve` over the given servers, without authentication, on a free port. */
export async function openGate({ directory, servers }) {
  const port = await freePort();
  const config = await writeConfig(directory, { servers, http: { port, auth: 'none' } });
  const args = [PROGRAM, 'serve', '--config', config, '--port', `${port}`];
  const child = openChild(process.execPath, args, { cwd: directory, env: environment(directory) });
  const origin = `http://127.0.0.1:${port}`;
  if (!(await answers(`${origin}/healthz`, START_MS, child))) {
    await child.close();
    throw new Error(`the gate did not come up:\n${child.output.stderr}`);
  }
  await answers(`${origin}/readyz`, READY_MS, child);
  return { url: `${origin}/mcp`, output: child.output, close: () => child.close() };
}

/** The fixture over its own HTTP face. */
export async function openFixture({ era, env = {} }) {
  const port = await freePort();
  const options = { env: { PATH: process.env.PATH, FIXTURE_ERA: era, ...env } };
  const child = openChild(process.execPath, [FIXTURE, '--http', `${port}`], options);
  const url = `http://127.0.0.1:${port}/mcp`;
  if (!(await answers(url, START_MS, child, () => true))) {
    await child.close();
    throw new Error(`the fixture did not come up:\n${child.output.stderr}`);
  }
  return { url, output: child.output, close: () => child.close() };
}

async function answers(url, limitMs, child, isGood = (response) => response.ok) {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline && child.isRunning) {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined && isGood(response)) return true;
    await pause(50);
  }
  return false;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
