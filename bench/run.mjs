// `npm run bench [-- --rounds N] [--no-page]`: measures the speed budget, together with the floors and the npm peers.
// `npm run bench -- --cold [--rounds N]`: only the start of `tidegate mcp`, without a page.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled } from '../scripts/install.mjs';
import { runCommand } from '../scripts/run-command.mjs';
import { coldVerdicts, verdicts } from './budget.mjs';
import { measureColdStarts } from './cold-start.mjs';
import { openGateway } from './gateway.mjs';
import { measureLargeList } from './large-list.mjs';
import { httpArms, measureArms, stdioArms } from './proxies.mjs';
import { page } from './report.mjs';
import { findMeasuringPrograms } from './measuring-programs.mjs';
import { sections } from './sections.mjs';
import { measureTools } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist', 'tidegate.js');
const peers = join(root, 'bench', 'peers');
const coldStarts = 3;
const listedTools = 10_000;
const workspaceTools = 60;

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      cold: { type: 'boolean', default: false },
      'no-page': { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number of 1 or more');
  const programs = findMeasuringPrograms(root);
  if (programs === undefined) return skip('set TIDEGATE_BENCH to the folder that contains proxy/compare.mjs');
  if (platform() !== 'linux') return skip('CPU and memory are read from /proc, which only Linux has');
  await prepare();
  if (values.cold) return printCold(await measureCold(programs, rounds));
  await ensureInstalled(peers);
  const before = loadavg()[0];
  const results = await measure(programs, rounds);
  const run = { ...describeRun(rounds), load: [before, loadavg()[0]].map((load) => load.toFixed(1)) };
  const all = { run, ...results, verdicts: verdicts(results) };
  print(all);
  if (!values['no-page']) {
    const file = join(root, 'docs', 'benchmarks.md');
    const known = readFileSync(file, 'utf8');
    const kept = Object.values(sections).map((section) => section.of(known));
    await writeFile(file, page({ ...all, kept }));
    console.log('\nwrote docs/benchmarks.md');
  }
}

async function prepare() {
  await ensureInstalled(root);
  const { code } = await runCommand(process.execPath, ['scripts/build.mjs'], { cwd: root, show: true });
  if (code !== 0 || !existsSync(program)) throw new Error('the build failed');
}

/** Gateways as installed. The second one has 60 workspace tools, trusted and already known from an earlier start. */
async function measureCold(programs, rounds) {
  const gate = await openGateway(program, { echo: programs.echo });
  const own = await openGateway(program, { echo: programs.echo, tools: workspaceTools });
  try {
    const [cold, coldTools] = await measureColdStarts([gate, own], rounds * coldStarts);
    return { cold, coldTools };
  } finally {
    await Promise.all([gate.close(), own.close()]);
  }
}

async function measure(programs, rounds) {
  const { cold, coldTools } = await measureCold(programs, rounds);
  const gate = await openGateway(program, { echo: programs.echo });
  const large = await openGateway(program, { echo: programs.echo, env: { ECHO_TOOLS: String(listedTools) } });
  try {
    const tools = await measureTools(program, rounds);
    const list = await measureLargeList({ gate: large, echo: programs.echo, tools: listedTools, rounds });
    const stdio = await measureArms(programs, await stdioArms(programs, gate), rounds, console.log);
    const modules = join(peers, 'node_modules');
    const http = await measureArms(programs, await httpArms(programs, gate, modules), rounds, console.log);
    return { cold, coldTools, tools, list, stdio, http };
  } finally {
    await Promise.all([gate.close(), large.close()]);
  }
}

function describeRun(rounds) {
  const readJson = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));
  const { version } = readJson('package.json');
  const { dependencies } = readJson('bench', 'peers', 'package.json');
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const isDirty = git('status', '--porcelain', '--', 'src', 'package-lock.json') !== '';
  const cores = availableParallelism();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    rounds,
    version,
    cores,
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${isDirty ? ' with local changes' : ''}`,
    peers: Object.entries(dependencies).map(([name, wanted]) => `${name} ${wanted}`),
    machine: `${platform()} ${arch()}, ${cores} cores, ${memory} GB, Node ${process.versions.node}`,
  };
}

function print({ run, stdio, http, cold, coldTools, tools, list, verdicts: judged }) {
  console.log(`\n${run.machine}, ${run.rounds} rounds, load ${run.load.join(' to ')}`);
  console.table(Object.fromEntries([...stdio, ...http]));
  console.log(coldLine({ cold, coldTools }));
  for (const [name, { ours, plain }] of [
    ['Read the end of 1 GB', tools.read],
    ['Edit 1 MB twice', tools.edit],
  ])
    console.log(`${name}: ${ours.toFixed(1)} ms, without Tidegate ${plain.toFixed(1)} ms`);
  console.log(
    `${list.gate.tools} tools: direct ${list.direct.ms.toFixed(1)} ms, Tidegate ${list.gate.ms.toFixed(1)} ms (${list.gate.bytes} bytes, ${list.gate.pages} pages)\n`,
  );
  printVerdicts(judged);
}

function printCold(results) {
  console.log(coldLine(results));
  printVerdicts(coldVerdicts(results));
}

function coldLine({ cold, coldTools }) {
  return `cold start, CPU ms, ${cold.n} of each: bare Node ${cold.bare.toFixed(0)}, empty module ${cold.script.toFixed(0)}, tidegate mcp ${cold.gate.toFixed(0)}, with 60 workspace tools ${coldTools.gate.toFixed(0)}`;
}

function printVerdicts(judged) {
  for (const { what, ratio, budget, isKept } of judged) {
    console.log(`${isKept ? 'ok  ' : 'OVER'} ${ratio.toFixed(2).padStart(6)} ×  (${budget})  ${what}`);
  }
}

function skip(why) {
  console.log(`SKIPPED, nothing was measured: ${why}.`);
}

await main();
