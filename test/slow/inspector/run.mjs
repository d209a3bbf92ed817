// Drives the built gate with the command line of the official MCP inspector: both wires, both eras.
// Last line: `N passed, N failed, N skipped`.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from '../../../scripts/install.mjs';
import { cases } from './cases.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
const program = join(root, 'dist/tidegate.js');
const inspector = join(here, 'node_modules/.bin/mcp-inspector');
const fixture = join(root, 'test/fixtures/servers/conformance-server.mjs');
const limitMs = 60_000;

async function main() {
  await ensureInstalled(here);
  const place = openPlace();
  let gate;
  let totals = { passed: 0, failed: 0, skipped: 0 };
  try {
    await gateCommand(place, 'trust', '--yes', place.configFile);
    gate = await openServe(place);
    for (const target of targets(place, gate)) totals = await runAll(place, target, totals);
  } finally {
    await gate?.close();
    rmSync(place.directory, { recursive: true, force: true });
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  if (totals.failed > 0 || totals.passed === 0) process.exitCode = 1;
}

/** A folder with a configuration, a home and a state of its own. */
function openPlace() {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-inspector-'));
  const home = join(directory, 'home');
  mkdirSync(home);
  const configFile = join(directory, 'tidegate.yaml');
  const servers = { fixture: { command: process.execPath, args: [fixture], prefix: '' } };
  writeFileSync(configFile, JSON.stringify({ builtins: [], servers }));
  const state = join(home, 'state');
  const env = { PATH: process.env.PATH, HOME: home, TIDEGATE_HOME: state };
  return { directory, configFile, state, env };
}

/** The inspector's own options, and what stands after `--`. */
function targets(place, gate) {
  const command = [process.execPath, program, 'mcp', '--config', place.configFile];
  const url = ['--transport', 'http', '--server-url', gate.url];
  const token = readFileSync(join(place.state, 'token'), 'utf8').trim();
  const known = [...url, '--header', `Authorization: Bearer ${token}`];
  return ['legacy', 'modern', 'auto'].flatMap((protocol) => [
    { name: `stdio, ${protocol}`, protocol, options: ['-e', `TIDEGATE_HOME=${place.state}`], command },
    { name: `http, ${protocol}`, protocol, options: known, command: [] },
    {
      name: `http without a token, ${protocol}`,
      protocol,
      options: [...url, '--stored-auth-only'],
      command: [],
      isStranger: true,
    },
  ]);
}

async function runAll(place, target, before) {
  const totals = { ...before };
  const chosen = cases.filter(({ isStranger = false }) => isStranger === (target.isStranger ?? false));
  for (const one of chosen) {
    if (one.eras !== undefined && !one.eras.includes(target.protocol)) continue;
    const complaint = await runOne(place, target, one);
    console.log(`${complaint === undefined ? '✓' : '✗'} ${target.name}: ${one.name}`);
    if (complaint === undefined) totals.passed += 1;
    else {
      totals.failed += 1;
      console.log(`  ${complaint}`);
    }
  }
  return totals;
}

/** Gives a complaint, or undefined. */
async function runOne(place, { protocol, options, command }, { method, more = [], code = 0, expect }) {
  const args = [
    '--cli',
    '--format',
    'json',
    '--quiet',
    '--protocol-era',
    protocol,
    ...options,
    '--method',
    method,
    ...more,
  ];
  const tail = command.length > 0 ? ['--', ...command] : [];
  const ran = await run([inspector, ...args, ...tail], place);
  const said = `${ran.stdout}${ran.stderr}`.slice(0, 1000);
  if (ran.code !== code) return `exit code ${ran.code} instead of ${code}: ${said}`;
  try {
    const lines = `${ran.stdout}${ran.stderr}`.split('\n').filter((line) => line.startsWith('{'));
    const answer = Object.assign({}, ...lines.map((line) => JSON.parse(line)));
    return expect(answer) ? undefined : `unexpected: ${said}`;
  } catch (error) {
    return `${error.message}: ${said}`;
  }
}

async function gateCommand(place, ...args) {
  const { code, stderr } = await run([program, ...args], place);
  if (code !== 0) throw new Error(`tidegate ${args.join(' ')} failed: ${stderr}`);
}

function run(args, { env, directory }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part) => (stderr += part));
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

/** `tidegate serve` on a free port. */
function openServe(place) {
  const child = spawn(process.execPath, [program, 'serve', '--config', place.configFile, '--port', '0'], {
    env: place.env,
    cwd: place.directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const close = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(
      () => void close().then(() => reject(new Error(`serve did not start: ${said}`))),
      20_000,
    );
    const hear = (part) => {
      said += part;
      const url = /http:\/\/[\d.]+:\d+\/mcp/.exec(said)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ url, close });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
  });
}

await main();
