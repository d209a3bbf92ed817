// `node bench/workflows/run.mjs [--rounds N] [--steps N] [--agents N]`: what the runner adds. Arms, interleaved in one run:
// commands by the runner against the same commands by a bare loop of Node; agents of one parallel step against bare
// requests to the same scripted model. Figures are medians of whole runs, divided by steps or calls.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openScriptedModel } from '../../dist/testing.js';
import { median } from '../statistics.mjs';

const program = fileURLToPath(new URL('../../dist/tidegate.js', import.meta.url));

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      steps: { type: 'string', default: '1000' },
      agents: { type: 'string', default: '100' },
    },
  });
  const [rounds, steps, agents] = [values.rounds, values.steps, values.agents].map(Number);
  const place = await mkdtemp(join(tmpdir(), 'tidegate-bench-workflows-'));
  const workspace = join(place, 'workspace');
  await mkdir(workspace);
  await writeFile(join(workspace, 'note.txt'), 'x\n');
  const model = await openScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { say: 'done' }
      : { calls: [{ name: 'Read', arguments: { file_path: 'note.txt' } }] },
  );
  const before = loadavg()[0];
  try {
    const arms = {
      'empty run': () => run(place, workspace, emptyFlow()),
      'commands by the runner': () => run(place, workspace, commandFlow(steps)),
      'commands by a bare loop': () => bareCommands(steps, workspace),
      'agents by the runner': () => run(place, workspace, agentFlow(agents, model.url)),
      'bare requests to the model': () => bareRequests(agents, model.url),
    };
    const times = Object.fromEntries(Object.keys(arms).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const [name, arm] of Object.entries(arms)) times[name].push(await timed(arm));
    report(times, { steps, agents, rounds, before });
  } finally {
    await model.close();
    await rm(place, { recursive: true, force: true });
  }
}

function report(times, { steps, agents, rounds, before }) {
  const ms = (name) => median(times[name]);
  const start = ms('empty run');
  const command = (ms('commands by the runner') - start) / steps;
  const bare = ms('commands by a bare loop') / steps;
  const agent = (ms('agents by the runner') - start) / agents;
  const request = ms('bare requests to the model') / agents;
  console.log(
    `Node ${process.version}, ${platform()} ${arch()}, ${availableParallelism()} cores, load ${before.toFixed(1)}, ${rounds} rounds`,
  );
  for (const [name, all] of Object.entries(times))
    console.log(`${name.padEnd(28)} ${all.map((one) => one.toFixed(0)).join(' ')} ms`);
  console.log(
    `${steps} steps: ${command.toFixed(2)} ms each, ${bare.toFixed(2)} ms bare: the runner adds ${(command - bare).toFixed(2)} ms per step`,
  );
  console.log(
    `${agents} agents side by side, 2 turns and 1 call each: ${agent.toFixed(2)} ms each, ${request.toFixed(2)} ms bare: session, records, call and all add ${(agent - request).toFixed(2)} ms per agent`,
  );
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

function agentFlow(count, url) {
  const names = Array.from({ length: count }, (_, at) => `a${at}`);
  const agent = {
    type: 'agent',
    provider: 'openai_compatible',
    prompt: 'go',
    options: { base_url: url, model: 'm' },
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

async function bareCommands(count, cwd) {
  for (let at = 0; at < count; at += 1) await exited('/bin/sh', ['-c', ':'], cwd, process.env);
}

async function bareRequests(count, url) {
  const ask = async (messages) => {
    const body = JSON.stringify({ model: 'm', stream: true, messages });
    await (await fetch(`${url}/chat/completions`, { method: 'POST', body })).text();
  };
  const agent = async () => {
    await ask([{ role: 'user', content: 'go' }]);
    await ask([{ role: 'tool', content: 'x' }]);
  };
  await Promise.all(Array.from({ length: count }, agent));
}

function exited(command, args, cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (part) => (said += part));
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}: ${said}`)),
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
