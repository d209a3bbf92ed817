// Builds a plugin with HashiCorp's own library and tries it under the built gate. See README.md.
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../../dist/tidegate.js', import.meta.url));
const source = fileURLToPath(new URL('plugin/main.go', import.meta.url));
const hostSource = fileURLToPath(new URL('host/main.go', import.meta.url));
const example = fileURLToPath(new URL('../../../examples/plugins/notes/awf-plugin-notes', import.meta.url));
const sdk = new URL('../../../dist/plugin.js', import.meta.url).href;
const total = { passed: 0, failed: 0, skipped: 0 };
const home = mkdtempSync(join(tmpdir(), 'tidegate-go-'));
const folder = join(home, '.awf', 'plugins', 'awf-plugin-gopeer');
const binary = join(folder, 'awf-plugin-gopeer');
const host = join(home, 'host');
const go = process.env.GO ?? 'go';
const goEnv = {
  GO111MODULE: 'off',
  GOPATH: '/usr/share/gocode',
  GOCACHE: join(home, 'go-cache'),
  ...process.env,
};
const env = { PATH: process.env.PATH, HOME: home, TIDEGATE_HOME: join(home, 'state') };

try {
  mkdirSync(folder, { recursive: true });
  const why = await build();
  if (why === undefined) await all();
  else {
    console.log(`SKIPPED: no plugin on the real go-plugin library was tried: ${why}`);
    total.skipped += 1;
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.failed > 0) process.exitCode = 1;

async function build() {
  const manifest = { name: 'gopeer', version: '1.0.0', awf_version: '>=0.4.0', capabilities: ['operations'] };
  writeFileSync(join(folder, 'plugin.yaml'), JSON.stringify(manifest));
  try {
    for (const [output, file] of [
      [binary, source],
      [host, hostSource],
    ])
      await run(go, ['build', '-o', output, file], { env: goEnv });
    return undefined;
  } catch (error) {
    return String(error.stderr || error.message)
      .split('\n')
      .slice(0, 2)
      .join(' ');
  }
}

/** Where the library stands that was built with: `GOPATH` may name many places. */
async function libraryFolder() {
  const asked = ['list', '-f', '{{.Dir}}', 'github.com/hashicorp/go-plugin'];
  return (await run(go, asked, { env: goEnv })).stdout.trim();
}

/** By its own list of changes, which Debian leaves out. */
function versionOf(library) {
  const changes = join(library, 'CHANGELOG.md');
  const known = existsSync(changes) && /v\d+\.\d+\.\d+/.exec(readFileSync(changes, 'utf8'));
  return known ? known[0] : 'of a version that it does not tell';
}

async function all() {
  await test('it runs over mutual TLS, unchanged', async () => {
    await tidegate('plugin', 'trust', 'gopeer', '--yes');
    const { operations } = JSON.parse(await tidegate('plugin', 'show', 'gopeer', '--json'));
    equal(operations.map(({ tool }) => tool).join(), 'gopeer_chatter,gopeer_echo,gopeer_panic');
  });
  await test('its operations are called, and its failures told', async () => {
    const called = JSON.parse(
      await tidegate('plugin', 'call', 'gopeer', 'echo', 'text=hi', 'prefix=> ', '--json'),
    );
    equal(JSON.stringify(called.structuredContent), '{"output":"> hi","text":"hi"}');
  });
  // Old versions, such as 1.0.1, have no way for what a plugin prints: it stands still when the pipe is full, under any host.
  const library = await libraryFolder();
  const hasStdio = existsSync(join(library, 'grpc_stdio.go'));
  console.log(`go-plugin ${versionOf(library)}`);
  if (!hasStdio)
    console.log(
      'SKIPPED: this version of go-plugin has no GRPCStdio, so nothing drains what a plugin prints',
    );
  total.skipped += hasStdio ? 0 : 1;
  if (hasStdio)
    await test('it may flood its output', async () => {
      const called = JSON.parse(await tidegate('plugin', 'call', 'gopeer', 'chatter', '--json'));
      equal(called.structuredContent.output, 'still here');
    });
  await test('it is started again after it died, and ends with its gate, also by kill -9', async () => {
    const before = strays();
    const gate = openGate();
    await gate.call('gopeer_echo', { text: 'a' });
    const lost = await gate.call('gopeer_panic', {});
    equal(lost.result.isError, true);
    equal((await gate.call('gopeer_echo', { text: 'b' })).result.structuredContent.output, 'b');
    gate.child.kill('SIGKILL');
    await until(async () => (await processes()).length === 0, 5000);
    await tidegate('plugin', 'list');
    equal(readdirSync(join(home, 'state', 'sockets')).length, 0);
    equal(strays().join(), before.join());
  });
  await test('nothing is left of it after an ordinary end', async () => {
    await tidegate('plugin', 'call', 'gopeer', 'echo', 'text=a');
    equal((await processes()).length, 0);
    equal(readdirSync(join(home, 'state', 'sockets')).length, 0);
  });
  await test('a plugin of our SDK runs under a host on the same library', async () => {
    const { stdout } = await run(host, [example], { env: { ...env, TIDEGATE_PLUGIN_SDK: sdk } });
    equal(
      stdout.trim(),
      '{"count":"1","error":"","exited":true,"name":"notes","operations":["add","find"],"output":"Kept \\"milk\\".","success":true}',
    );
  });
}

/** Sockets that old versions make in the temporary folder. */
function strays() {
  return readdirSync(tmpdir()).filter((name) => /^plugin\d+$/.test(name));
}

async function tidegate(...args) {
  return (await run(process.execPath, [program, ...args], { cwd: home, env })).stdout;
}

async function processes() {
  const { stdout } = await run('ps', ['-eo', 'pid,args']);
  return stdout.split('\n').filter((line) => line.includes(binary));
}

function openGate() {
  const child = spawn(process.execPath, [program, 'mcp'], {
    cwd: home,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let id = 0;
  const request = (method, params) =>
    new Promise((done) => {
      waiting.set(++id, done);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  const ready = request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  return { child, call: (name, args) => ready.then(() => request('tools/call', { name, arguments: args })) };
}

async function until(isTrue, ms) {
  for (const end = Date.now() + ms; !(await isTrue()); await new Promise((done) => setTimeout(done, 100)))
    if (Date.now() > end) throw new Error('not in time');
}

async function test(name, body) {
  try {
    await body();
    total.passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    total.failed += 1;
    console.log(`FAIL ${name}: ${error.message} ${error.stdout ?? ''} ${error.stderr ?? ''}`);
  }
}

function equal(actual, expected) {
  if (actual !== expected) throw new Error(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}
