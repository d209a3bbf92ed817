// `node bench/workflows/run.mjs [--rounds N] [--steps N] [--agents N] [--page]`: the overhead of the workflow runner. Arms,
// interleaved in one run: commands in the runner compared with the same commands in a bare Node loop, with and without a
// synced line after each; agents of one parallel step compared with bare requests to the same scripted model. The bare
// arms run twice (A/A). Figures are medians of whole runs, divided by steps, agents or calls.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, fdatasyncSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openScriptedModel } from '../../dist/testing.js';
import { sections } from '../sections.mjs';
import { median } from '../statistics.mjs';

const program = fileURLToPath(new URL('../../dist/tidegate.js', import.meta.url));
const page = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
/** Number of calls by the agents of the second arm; the difference to one call is the cost of the calls. */
const manyCalls = 10;

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      steps: { type: 'string', default: '1000' },
      agents: { type: 'string', default: '100' },
      page: { type: 'boolean', default: false },
    },
  });
  const [rounds, steps, agents] = [values.rounds, values.steps, values.agents].map(Number);
  const place = await mkdtemp(join(tmpdir(), 'tidegate-bench-workflows-'));
  const workspace = join(place, 'workspace');
  await mkdir(workspace);
  // Repeating the same call would be detected as a loop.
  for (let at = 0; at < manyCalls; at += 1) await writeFile(join(workspace, `note-${at}.txt`), 'x\n');
  const model = await openScriptedModel(({ model: wanted, messages }) => {
    const made = messages.filter(({ role }) => role === 'tool').length;
    if (made >= Number(wanted)) return { say: 'done' };
    return { calls: [{ name: 'Read', arguments: { file_path: `note-${made}.txt` } }] };
  });
  const before = loadavg()[0];
  try {
    const arms = {
      empty: () => run(place, workspace, emptyFlow()),
      commands: () => run(place, workspace, commandFlow(steps)),
      bareCommands: () => bareCommands(steps, workspace),
      syncedCommands: () => bareCommands(steps, workspace, join(place, 'lines')),
      bareCommandsAgain: () => bareCommands(steps, workspace),
      agents: () => run(place, workspace, agentFlow(agents, model.url, 1)),
      bareRequests: () => bareRequests(agents, model.url, 1),
      bareRequestsAgain: () => bareRequests(agents, model.url, 1),
      manyCalls: () => run(place, workspace, agentFlow(agents, model.url, manyCalls)),
      bareManyCalls: () => bareRequests(agents, model.url, manyCalls),
    };
    const times = Object.fromEntries(Object.keys(arms).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const [name, arm] of Object.entries(arms)) times[name].push(await timed(arm));
    const text = reportOf(times, { steps, agents, rounds, before });
    console.log(text);
    if (values.page) await writeFile(page, sections.workflows.into(await readFile(page, 'utf8'), text));
  } finally {
    await model.close();
    await rm(place, { recursive: true, force: true });
  }
}

function reportOf(times, { steps, agents, rounds, before }) {
  const ms = (name) => median(times[name]);
  const each = (name, count, without = 0) => (ms(name) - without) / count;
  const start = ms('empty');
  const step = each('commands', steps, start);
  const [bare, synced, again] = ['bareCommands', 'syncedCommands', 'bareCommandsAgain'].map((name) =>
    each(name, steps),
  );
  const agent = each('agents', agents, start);
  const [request, requestAgain] = ['bareRequests', 'bareRequestsAgain'].map((name) => each(name, agents));
  const calls = agents * (manyCalls - 1);
  const call = (ms('manyCalls') - ms('agents')) / calls;
  const bareCall = (ms('bareManyCalls') - ms('bareRequests')) / calls;
  const row = (name, value, floor) =>
    `| ${name} | ${value.toFixed(2)} | ${floor === undefined ? '1' : (value / floor).toFixed(2)} | ${floor === undefined ? '' : (value - floor).toFixed(2)} |`;
  return [
    `Node ${process.version}, ${platform()} ${arch()}, ${availableParallelism()} cores, load ${before.toFixed(1)} before, ${rounds} rounds, medians of whole runs without program start. ${noise(again / bare, requestAgain / request)}`,
    '',
    `|  | ms each | ratio to the first | added ms |`,
    '| --- | --- | --- | --- |',
    row(`${steps} commands \`:\` in a plain Node loop`, bare),
    row('the same again (A/A)', again, bare),
    row('the same, writing and syncing one line after each', synced, bare),
    row(`${steps} steps of a workflow`, step, bare),
    '',
    `|  | ms each | ratio to the first | added ms |`,
    '| --- | --- | --- | --- |',
    row(`${agents} times two plain requests to the scripted model, in parallel`, request),
    row('the same again (A/A)', requestAgain, request),
    row(`${agents} agents with two turns and one call each, in parallel`, agent, request),
    '',
    `|  | ms each | ratio to the first | added ms |`,
    '| --- | --- | --- | --- |',
    row('one more plain request, on average', bareCall),
    row(
      'one more turn with a call to `Read`: session, list, pipeline, log, audit and transcript',
      call,
      bareCall,
    ),
  ].join('\n');
}

/** How to interpret the figures. */
function noise(...ratios) {
  const [commands, requests] = ratios.map((ratio) => Math.round(Math.abs(1 - ratio) * 100));
  return `Two measurements of the same floor differed by ${commands} % (commands) and ${requests} % (requests); ignore smaller differences.`;
}

const done = { type: 'terminal' };

function emptyFlow() {
  return { name: 'empty', states: { initial: 'done', done } };
}

function commandFlow(count) {
  const items = Array.from({ length: count }, (_, at) => at);
  return {
    name: 'commands',
    states: {
      initial: 'each',
      each: {
        type: 'for_each',
        items,
        body: ['one'],
        max_iterations: Math.min(count, 10_000),
        on_complete: 'done',
      },
      one: { type: 'command', command: ':', on_success: 'each' },
      done,
    },
  };
}

function agentFlow(count, url, calls) {
  const names = Array.from({ length: count }, (_, at) => `a${at}`);
  const agent = {
    type: 'agent',
    provider: 'openai_compatible',
    prompt: 'go',
    options: { base_url: url, model: String(calls) },
    tidegate: { tools: ['Read'] },
  };
  return {
    name: 'agents',
    states: {
      initial: 'all',
      all: { type: 'parallel', parallel: names, on_success: 'done' },
      ...Object.fromEntries(names.map((name) => [name, agent])),
      done,
    },
  };
}

let files = 0;

async function run(place, workspace, flow) {
  files += 1;
  const file = join(place, `flow-${files}.yaml`);
  await writeFile(file, JSON.stringify(flow));
  const env = {
    PATH: process.env['PATH'],
    HOME: place,
    TIDEGATE_HOME: join(place, 'state'),
    SHELL: '/bin/sh',
  };
  await exited(process.execPath, [program, 'run', file], workspace, env);
}

async function bareCommands(count, cwd, synced) {
  const lines = synced === undefined ? undefined : openSync(synced, 'a');
  for (let at = 0; at < count; at += 1) {
    await exited('/bin/sh', ['-c', ':'], cwd, process.env);
    if (lines === undefined) continue;
    appendFileSync(lines, `${JSON.stringify({ kind: 'step', at })}\n`);
    fdatasyncSync(lines);
  }
  if (lines !== undefined) closeSync(lines);
}

async function bareRequests(count, url, calls) {
  const ask = async (messages) => {
    const body = JSON.stringify({ model: String(calls), stream: true, messages });
    await (await fetch(`${url}/chat/completions`, { method: 'POST', body })).text();
  };
  const agent = async () => {
    const messages = [{ role: 'user', content: 'go' }];
    await ask(messages);
    for (let at = 0; at < calls; at += 1) {
      messages.push({ role: 'tool', content: 'x' });
      await ask(messages);
    }
  };
  await Promise.all(Array.from({ length: count }, agent));
}

function exited(command, args, cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.resume();
    child.stderr.on('data', (part) => (said += part));
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} exited with ${code}: ${said}`)),
    );
    child.once('error', reject);
  });
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

await main();
