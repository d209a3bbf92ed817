// `node bench/agents/run.mjs [--rounds N] [--page]`: the overhead of the gateway for an agent. Each real CLI does a run of
// two turns (read a file, answer): alone with its own tool, and through `tidegate run` with ours. The arms are interleaved,
// and the bare arm runs twice to show the noise. Run `npm run test:agents` first to install the CLIs. Isolation results
// are known in advance.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inConversation, openScriptedModel } from '../../dist/testing.js';
import { sections } from '../sections.mjs';
import { median } from '../statistics.mjs';
import { agents } from './agents.mjs';

const program = fileURLToPath(new URL('../../dist/tidegate.js', import.meta.url));
const benchmarks = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const limitMs = 120_000;

async function main() {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, page: { type: 'boolean', default: false } },
  });
  const rounds = Number(values.rounds);
  const missing = agents.filter(({ file }) => !existsSync(file));
  if (missing.length > 0)
    throw new Error(
      `not installed: ${missing.map(({ title }) => title).join(', ')}. Run: npm run test:agents`,
    );
  const place = await openPlace();
  const before = loadavg()[0];
  try {
    const rows = [];
    for (const agent of agents) {
      await runToEnd(
        [process.execPath, program, 'doctor', '--agent', agent.name, '--model', agent.model],
        place,
      );
      rows.push({ ...agent, ...(await measure(agent, place, rounds)) });
      console.log(line(rows.at(-1)));
    }
    const head = `Node ${process.version}, ${platform()} ${arch()}, ${availableParallelism()} cores, load ${before.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after, ${rounds} rounds`;
    console.log(head);
    if (values.page) {
      await writeFile(benchmarks, sections.agents.into(readFileSync(benchmarks, 'utf8'), page(head, rows)));
      console.log('wrote docs/benchmarks.md');
    }
  } finally {
    await rm(place.root, { recursive: true, force: true });
  }
}

async function openPlace() {
  const root = await mkdtemp(join(tmpdir(), 'tidegate-bench-agents-'));
  const [home, workspace, bin] = ['home', 'workspace', 'bin'].map((name) => join(root, name));
  for (const folder of [home, workspace, bin]) await mkdir(folder);
  await writeFile(join(workspace, 'note.txt'), 'the tide is high\n');
  for (const { name, file } of agents) await symlink(file, join(bin, name));
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    TIDEGATE_HOME: join(home, 'state'),
    BENCH_KEY: 'not-a-key',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  };
  return { root, home, workspace, bin, env };
}

/** Bare, through the gateway and bare again, in turn. The first round of each does not count, because it creates the homes. */
async function measure(agent, place, rounds) {
  const times = { bare: [], gated: [], again: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const arm of Object.keys(times)) {
      const ms = arm === 'gated' ? await gated(agent, place) : await bare(agent, place);
      if (round > 0) times[arm].push(ms);
    }
  }
  return { bare: median(times.bare), gated: median(times.gated), again: median(times.again) };
}

async function bare(agent, place) {
  return withModel(agent.read, async (model) => {
    const { args, env, files = {} } = agent.bare(model, place);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(place.home, name, '..'), { recursive: true });
      await writeFile(join(place.home, name), text);
    }
    return runToEnd([join(place.bin, agent.name), ...args], place, env);
  });
}

async function gated(agent, place) {
  const read = { name: /(?:^|[_/])Read$/, arguments: { file_path: 'note.txt' } };
  return withModel(read, async (model) => {
    const step = {
      type: 'agent',
      provider: agent.name,
      prompt: 'go',
      options: { base_url: agent.address(model), api_key_env: 'BENCH_KEY', model: agent.model },
      tidegate: { tools: ['Read'] },
      on_success: 'done',
    };
    const flow = { name: 'bench', states: { initial: 'a', a: step, done: { type: 'terminal' } } };
    const file = join(place.workspace, 'flow.yaml');
    await writeFile(file, JSON.stringify(flow));
    return runToEnd([process.execPath, program, 'run', file], place);
  });
}

/** Runs something against a model with two turns, and checks that both were used. */
async function withModel(read, run) {
  const model = await openScriptedModel(inConversation([{ calls: [read] }, { say: 'all done' }]));
  try {
    const ms = await run(model);
    const last = model.requests.filter(({ tools }) => tools.length > 0).at(-1);
    const text = last?.results.at(-1)?.text ?? '';
    if (last?.turn !== 1 || !text.includes('the tide is high'))
      throw new Error(`it did not read the file: ${text}`);
    return ms;
  } finally {
    await model.close();
  }
}

function runToEnd([command, ...args], { workspace, env }, more = {}) {
  const started = performance.now();
  const child = spawn(command, args, {
    cwd: workspace,
    env: { ...env, ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (part) => (said = (said + part).slice(-2000)));
  child.stderr.on('data', (part) => (said = (said + part).slice(-2000)));
  child.stdin.on('error', () => undefined).end('go\n');
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(performance.now() - started);
      else reject(new Error(`${command} ${args.join(' ')} exited with ${code}: ${said}`));
    });
  });
}

const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const ratio = (a, b) => `${(a / b).toFixed(2)} ×`;

function line({ title, bare: alone, gated: under, again }) {
  return `${title.padEnd(12)} bare ${seconds(alone)}, with the gateway ${seconds(under)}: ${ratio(under, alone)} (bare again ${ratio(again, alone)})`;
}

function page(head, rows) {
  const table = rows.map(
    ({ title, bare: alone, gated: under, again }) =>
      `| ${title} | ${seconds(alone)} | ${seconds(under)} | ${ratio(under, alone)} | ${ratio(again, alone)} |`,
  );
  return [
    'A run of two turns (read a file, answer) against a model on the loopback interface: the CLI alone with its own tool,',
    'and through `tidegate run` with the gateway as its only source of tools. The isolation test has already run. Medians of',
    'whole processes. Most of the difference comes from starting two more Node processes.',
    '',
    `${head}.`,
    '',
    '| | CLI alone | `tidegate run` | ratio | CLI alone again (noise) |',
    '|---|---|---|---|---|',
    ...table,
  ].join('\n');
}

await main();
