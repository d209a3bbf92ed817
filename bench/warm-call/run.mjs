// Counts the functions of src that one warm call over stdio runs, with V8's precise coverage of the built program.
// `npm run build && node bench/warm-call/run.mjs` writes measured.json; `npm run generate` copies it into
// docs/architecture.md.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openGateway } from '../gateway.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const preload = fileURLToPath(new URL('count-calls.mjs', import.meta.url));
const program = join(root, 'dist', 'tidegate.js');
const warmCalls = 300;
/** A function counts if it ran in each of these calls. Timers and log writes run only in some. */
const measuredCalls = 5;

const echoServer = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }] }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: 'unknown method' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
});
`;

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-warm-call-'));
  const echo = join(folder, 'echo.mjs');
  await writeFile(echo, echoServer);
  const gate = await openGateway(program, { echo });
  try {
    const reports = await measure(gate, join(folder, 'report'));
    const measured = await sum(reports);
    await writeFile(new URL('measured.json', import.meta.url), `${JSON.stringify(measured, null, 2)}\n`);
    console.log(`${measured.functions} functions in ${measured.files.length} files`);
  } finally {
    await gate.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The functions called in each of the measured calls, as `file of dist@offset`. */
async function measure(gate, report) {
  const client = openClient(gate, { NODE_OPTIONS: `--import=${preload}`, TIDEGATE_COUNT_CALLS: report });
  try {
    await client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'warm-call', version: '1' },
    });
    client.notify('notifications/initialized');
    const { tools } = await client.request('tools/list', {});
    const name = tools.map((tool) => tool.name).find((one) => one.endsWith('echo'));
    if (name === undefined) throw new Error('the echo tool is not listed');
    const call = () => client.request('tools/call', { name, arguments: { text: 'warm' } });
    for (let i = 0; i < warmCalls; i += 1) await call();
    await client.take(report, 1);
    const reports = [];
    for (let i = 0; i < measuredCalls; i += 1) {
      const { content } = await call();
      if (content[0].text !== 'warm') throw new Error('the call did not reach the server');
      reports.push(await client.take(report, i + 2));
    }
    return reports;
  } finally {
    await client.close();
  }
}

function openClient({ stdio, environment }, env) {
  const [command, ...args] = stdio;
  const child = spawn(command, args, {
    env: { ...process.env, ...environment, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  let last = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const answer = waiting.get(id);
    waiting.delete(id);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve(result);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    notify: (method) => send({ method }),
    request(method, params) {
      last += 1;
      const answered = new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
      send({ id: last, method, params });
      return answered;
    },
    async take(report, number) {
      child.kill('SIGUSR2');
      for (let i = 0; !existsSync(`${report}.${number}.done`); i += 1) {
        if (i > 500) throw new Error('the gateway did not report its coverage');
        await wait(20);
      }
      return JSON.parse(await readFile(`${report}.${number}`, 'utf8'));
    },
    async close() {
      const ended = new Promise((done) => child.once('exit', done));
      child.stdin.end();
      await ended;
    },
  };
}

async function sum(reports) {
  const [first, ...others] = reports.map(
    (scripts) => new Set(scripts.flatMap(({ url, offsets }) => offsets.map((offset) => `${url}@${offset}`))),
  );
  const always = [...first].filter((one) => others.every((called) => called.has(one)));
  const byScript = new Map();
  for (const one of always) {
    const [url, offset] = one.split('@');
    byScript.set(url, [...(byScript.get(url) ?? []), Number(offset)]);
  }
  const counts = new Map();
  for (const [url, offsets] of byScript) {
    if (!url.startsWith(`file://${join(root, 'dist')}`)) continue;
    for (const file of await sourcesOf(fileURLToPath(url), offsets))
      if (file.startsWith('src/')) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  const files = [...counts].map(([file, functions]) => ({ file, functions }));
  files.sort((a, b) => (a.file < b.file ? -1 : 1));
  return { functions: files.reduce((total, { functions }) => total + functions, 0), files };
}

/** The source file of each function, from the source map of the bundle. */
async function sourcesOf(bundle, offsets) {
  const text = await readFile(bundle, 'utf8');
  const map = new SourceMap(JSON.parse(await readFile(`${bundle}.map`, 'utf8')));
  return offsets.map((offset) => {
    const before = text.slice(0, offset);
    const line = before.split('\n').length - 1;
    const column = offset - (before.lastIndexOf('\n') + 1);
    const { originalSource = '' } = map.findEntry(line, column);
    return relative(root, resolve(dirname(bundle), originalSource));
  });
}

await main();
