// `npm start`, also on a fresh clone: installs, builds, and runs a gateway on a demo workspace with one real upstream MCP
// server. Everything it writes is under .tidegate/. Imports only Node's built-in modules until the install is done.
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { guide } from './start-guide.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist', 'tidegate.js');
const example = join(root, 'examples', 'demo');
const demo = join(root, '.tidegate', 'demo');
const home = join(root, '.tidegate', 'home');
const config = join(demo, 'tidegate.yaml');
const environment = { ...process.env, TIDEGATE_HOME: home };
const parent = process.ppid;
const firstPort = 7331;
const triedPorts = 50;
const readyMs = 20_000;
const graceMs = 5000;
const parentMs = 500;

const colours = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 };
const hasColours = process.stdout.isTTY && !process.env['NO_COLOR'];
const paint = (colour, text) => (hasColours ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text);
const short = (path) => relative(root, path) || '.';
const line = (mark, what, how) => console.log(`${mark} ${what.padEnd(13)} ${how}`);
const say = (what, how) => line(paint('green', '✓'), what, how);
const warn = (what, how) => line(paint('red', '✗'), what, how);

async function main() {
  const wanted = wantedPort();
  await ensureInstalled(root);
  say('dependencies', 'installed');
  say('build', await ensureBuilt());
  say('workspace', await prepareDemo());
  const trust = await trustDemo();
  (trust.isTrusted ? say : warn)('trust', trust.says);
  // The handlers of run-command.mjs were for the steps above. From here on, Ctrl+C stops the gateway.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  await runGate(wanted ?? (await freePort()), trust.isTrusted);
}

function wantedPort() {
  const { port } = parseArgs({ options: { port: { type: 'string' } } }).values;
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error('--port takes a number up to 65535');
  return Number(port);
}

async function ensureBuilt() {
  const built = await changed(program);
  const sources = [join(root, 'package.json'), join(root, 'scripts', 'build.mjs')];
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
  for (const entry of entries)
    if (entry.isFile()) sources.push(join(entry.parentPath ?? entry.path, entry.name));
  const newest = Math.max(...(await Promise.all(sources.map(changed))));
  if (built >= newest) return `${short(program)} is up to date`;
  console.log(built === 0 ? 'building dist/' : 'rebuilding dist/: the sources are newer');
  const { code, output } = await runCommand(process.execPath, ['scripts/build.mjs'], { cwd: root });
  if (code !== 0) throw new Error(`the build failed\n${output}`);
  return `${short(program)} is built`;
}

/** Modification time of a file; 0 if it does not exist. */
async function changed(path) {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
}

/** Keeps an existing copy, because the user may have changed it. */
async function prepareDemo() {
  await mkdir(home, { recursive: true, mode: 0o700 });
  if ((await changed(config)) > 0) return `${short(demo)}, unchanged`;
  await cp(example, demo, { recursive: true });
  return `${short(demo)}, copied from ${short(example)}; you can change it`;
}

/** Only our own example is trusted without confirmation. */
async function trustDemo() {
  const [own, ours] = await Promise.all(
    [config, join(example, 'tidegate.yaml')].map((file) => readFile(file)),
  );
  if (!own.equals(ours)) return trustOfChanged();
  const { code, output } = await runCommand(process.execPath, [program, 'trust', config, '--yes'], {
    cwd: root,
    env: environment,
  });
  if (code !== 0) throw new Error(`the demo configuration could not be trusted\n${output}`);
  const says = `${short(config)}, because it is our own example. Other files are never trusted automatically.`;
  return { isTrusted: true, says };
}

/** If the user changed the file, only the user can trust it. */
async function trustOfChanged() {
  const { output } = await runCommand(process.execPath, [program, 'config', 'check', config, '--json'], {
    cwd: root,
    env: environment,
  });
  if (parsed(output)?.trusted === true)
    return { isTrusted: true, says: `${short(config)}, changed and trusted by you` };
  const command = `TIDEGATE_HOME="$PWD/${short(home)}" node ${short(program)} trust ${short(config)}`;
  const says = `${short(config)} was changed and is not trusted, so its servers are not started. Review it, then run: ${command}`;
  return { isTrusted: false, says };
}

/** The default port, or the next free one. */
async function freePort() {
  for (let port = firstPort; port < firstPort + triedPorts; port += 1) if (await isFree(port)) return port;
  return 0;
}

function isFree(port) {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}

async function runGate(port, isExpectingTools) {
  const preload = new URL('end-with-parent.mjs', import.meta.url).href;
  const args = ['--import', preload, program, 'serve', '--config', config, '--port', String(port), '--json'];
  const gate = spawn(process.execPath, args, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = new Promise((done) => gate.once('exit', (code, signal) => done({ code, signal })));
  endWithUs(gate);
  const { url } = await Promise.race([announcement(gate), exited.then(failed)]);
  const token = (await readFile(join(home, 'token'), 'utf8')).trim();
  const tools = await Promise.race([
    countTools(url, token, isExpectingTools ? readyMs : 0),
    exited.then(failed),
  ]);
  const paths = { command: short(program), home: short(home), config: short(config) };
  console.log(guide({ url, token, tools, paint, ...paths }));
  const { code } = await exited;
  console.log('\nTidegate has stopped.');
  process.exitCode = code ?? 0;
}

/** Passes signals on. At a terminal, Ctrl+C reaches the gateway anyway, but other signals reach only this process. */
function endWithUs(gate) {
  const end = (signal) => {
    gate.kill(signal);
    setTimeout(() => gate.kill('SIGKILL'), graceMs).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal));
  // npm passes signals on to a shell, which exits and leaves this process running.
  const isNpm = process.env['npm_lifecycle_event'] !== undefined;
  if (isNpm) setInterval(() => process.ppid !== parent && end('SIGTERM'), parentMs).unref();
}

/** The first JSON value that `serve --json` prints: its address. */
async function announcement(gate) {
  let text = '';
  for await (const line of createInterface({ input: gate.stdout })) {
    text += line;
    const value = parsed(text);
    if (value === undefined) continue;
    if (value.error) throw new Error(`${value.error.message}${hintOf(value.error.code)}`);
    gate.stdout.resume();
    return value;
  }
  return new Promise(() => {});
}

function hintOf(code) {
  return code === 'http.port_in_use' ? '. Omit --port to use the next free port.' : '';
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first list already waits for servers; this gives slow servers more time. */
async function countTools(url, token, waitMs) {
  const address = new URL('/api/tools', url);
  const until = Date.now() + waitMs;
  for (;;) {
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    const { tools = [] } = response.ok ? await response.json() : {};
    if (tools.length > 0 || Date.now() > until) return tools.length;
    await sleep(200);
  }
}

function failed({ code, signal }) {
  throw new Error(`Tidegate exited before it was ready (${signal ?? `exit code ${code}`})`);
}

try {
  await main();
} catch (error) {
  console.error(`${paint('red', 'npm start failed:')} ${error.message}`);
  process.exitCode = 1;
}
