// `node bench/plugins/run.mjs [rounds] [--page]`: the cost of an Execute through the gateway, compared with a direct gRPC
// call to the same plugin program in the same run. The direct arm runs twice; the ratio of the two is the noise. `--page`
// writes the table into docs/benchmarks.md.
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { openClient } from '../json-lines.mjs';
import { sections } from '../sections.mjs';
import { median } from '../statistics.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = join(root, 'dist', 'tidegate.js');
const fixtures = join(root, 'test', 'fixtures', 'plugins');
const words = process.argv.slice(2);
const rounds = Number(words.find((word) => !word.startsWith('--')) ?? 15);
const calls = 200;
const atOnce = 32;

async function main() {
  const home = await mkdtemp(join(tmpdir(), 'tidegate-bench-plugins-'));
  const plugin = await writePlugin(home);
  const arms = {};
  try {
    const gate = await openGate(home);
    arms['direct gRPC'] = await openDirect(plugin, home);
    arms['direct gRPC again'] = await openDirect(plugin, home);
    arms['through the gateway'] = gate;
    for (const arm of Object.values(arms)) await burst(arm, calls, 1);
    const seen = Object.fromEntries(Object.keys(arms).map((name) => [name, { one: [], many: [] }]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, arm] of Object.entries(arms)) {
        seen[name].one.push(await burst(arm, calls, 1));
        seen[name].many.push(await burst(arm, calls * 4, atOnce));
      }
    }
    const text = reportOf(seen);
    console.log(text);
    if (words.includes('--page')) await writePage(text);
  } finally {
    for (const arm of Object.values(arms)) await arm.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Microseconds per call. */
async function burst(arm, count, lanes) {
  const started = performance.now();
  let left = count;
  const lane = async () => {
    while (left-- > 0) await arm.call();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return ((performance.now() - started) * 1000) / count;
}

function reportOf(seen) {
  const base = seen['direct gRPC'];
  const rows = Object.entries(seen).map(([name, { one, many }]) => {
    const ratios = one.map((value, i) => value / base.one[i]);
    const rates = many.map((value, i) => base.many[i] / value);
    return `| ${name} | ${median(one).toFixed(0)} µs | ${median(ratios).toFixed(2)} × | ${median(many).toFixed(0)} µs | ${median(rates).toFixed(2)} × |`;
  });
  return [
    'One `Execute` of the same plugin program, over mutual TLS on a Unix socket: called directly with grpc-js, and as a tool',
    `through the gateway over stdio. ${rounds} interleaved rounds; ${calls} calls one after another, then ${calls * 4} with ${atOnce} in flight; medians.`,
    `The direct arm runs twice; the ratio between the two is the noise. Load at the end: ${loadavg()[0].toFixed(1)} (2 means fully loaded).`,
    '',
    '| arm | one at a time | relative to direct | 32 in flight | throughput relative to direct |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    'The gateway adds one process and two lines of JSON to each call. No single part dominates the profile.',
  ].join('\n');
}

async function writePage(text) {
  const file = join(root, 'docs', 'benchmarks.md');
  await writeFile(file, sections.plugins.into(await readFile(file, 'utf8'), text));
}

async function writePlugin(home) {
  const folder = join(home, '.tidegate', 'plugins', 'awf-plugin-peer');
  await mkdir(folder, { recursive: true });
  const manifest = { name: 'peer', version: '1.0.0', awf_version: '>=0.4.0', capabilities: ['operations'] };
  await writeFile(join(folder, 'plugin.yaml'), JSON.stringify(manifest));
  const path = join(folder, 'awf-plugin-peer');
  await writeFile(
    path,
    `#!${process.execPath}\nimport(${JSON.stringify(join(fixtures, 'peer.mjs'))}).then(({ serve }) => serve());\n`,
  );
  await chmod(path, 0o755);
  return path;
}

async function openGate(home) {
  const environment = { TIDEGATE_HOME: join(home, 'state'), HOME: home };
  await promisify(execFile)(process.execPath, [program, 'plugin', 'trust', '--yes'], {
    cwd: home,
    env: { ...process.env, ...environment },
  });
  const client = openClient([process.execPath, program, 'mcp'], environment, home);
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  const call = async () => {
    const { result } = await client.request('tools/call', {
      name: 'peer_echo',
      arguments: { text: 'hello', prefix: '> ' },
    });
    if (result?.structuredContent?.output !== '> hello') throw new Error(JSON.stringify(result));
  };
  return { call, close: () => client.close() };
}

/** The most direct path: one gRPC client of the same library, with mutual TLS on the same kind of socket. */
async function openDirect(path, folder) {
  const [key, cert] = await Promise.all(
    ['peer-key.pem', 'peer-cert.pem'].map((name) => readFile(join(fixtures, name))),
  );
  const child = spawn(path, [], {
    env: {
      ...process.env,
      AWF_PLUGIN: 'awf-plugin-v1',
      PLUGIN_PROTOCOL_VERSIONS: '1',
      PLUGIN_UNIX_SOCKET_DIR: folder,
      PLUGIN_CLIENT_CERT: String(cert),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await new Promise((done) =>
    createInterface({ input: child.stdout }).once('line', (one) => done([one])),
  );
  const target = `unix:${line.split('|')[3]}`;
  const client = new Client(target, credentials.createSsl(cert, key, cert), {
    'grpc.ssl_target_name_override': 'localhost',
    'grpc.default_authority': 'localhost',
    'grpc.use_local_subchannel_pool': 1,
  });
  const proto = loadSync('plugin.proto', {
    keepCase: true,
    defaults: true,
    includeDirs: [join(root, 'schema')],
  });
  const { path: method, requestSerialize, responseDeserialize } = proto['plugin.v1.OperationService'].Execute;
  const inputs = { text: Buffer.from('"hello"'), prefix: Buffer.from('"> "') };
  const call = () =>
    new Promise((done, failed) =>
      client.makeUnaryRequest(
        method,
        requestSerialize,
        responseDeserialize,
        { operation: 'echo', inputs },
        new Metadata(),
        {},
        (error, answer) =>
          error
            ? failed(error)
            : answer.output === '> hello'
              ? done()
              : failed(new Error(JSON.stringify(answer))),
      ),
    );
  return {
    call,
    close() {
      client.close();
      child.kill('SIGKILL');
    },
  };
}

await main();
