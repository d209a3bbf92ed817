// `node --expose-gc bench/access/run.mjs [--page]`: the cost of a check and of a visible set, with 100,000 tuples in memory.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { sections } from '../sections.mjs';
import { median } from '../statistics.mjs';
import { measureAuthorizer } from './authorizer.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache', 'bench-access');
const toolCount = 10_000;
const tupleCount = 100_000;

const model = `
model
  schema 1.1
type principal
type role
  relations
    define member: [principal, role#member]
type profile
  relations
    define assignee: [principal, role#member]
type provider
  relations
    define seer: [principal, role#member, profile#assignee]
    define caller: [principal, role#member, profile#assignee]
type tool
  relations
    define provider: [provider]
    define seer: [principal, role#member, profile#assignee, principal:*]
    define caller: [principal, role#member, profile#assignee, principal with not_expired]
    define blocked: [principal, role#member, profile#assignee]
    define see: (seer or caller or seer from provider or caller from provider) but not blocked
    define call: (caller or caller from provider) but not blocked
condition not_expired(now: timestamp, until: timestamp) {
  now < until
}
`;

async function main() {
  const outfile = join(folder, 'engine.mjs');
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'src/access/engine/index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  const { compileModel, createEngine, createMemoryTuples, loadConditions } = await import(
    pathToFileURL(outfile).href
  );
  const compiled = await compileModel(model);
  const many = manyTuples();
  let tuples;
  const filled = timed(() => {
    tuples = createMemoryTuples(many);
  });
  const engine = createEngine(compiled, tuples, await loadConditions(compiled));
  const before = loadavg()[0];
  const figures = [];
  const print = (name, value) => {
    figures.push([name, value]);
    console.log(`${name.padEnd(58)} ${value}`);
  };
  print(`${tuples.size} tuples inserted`, `${filled.toFixed(0)} ms`);
  for (const [name, question, options] of checks()) {
    const answer = engine.check(question, options);
    print(
      `check, ${name} (${answer ? 'allow' : 'deny'})`,
      `${perCall(() => engine.check(question, options)).toFixed(2)} µs`,
    );
  }
  for (const [name, user] of [
    ['full profile', 'principal:agent/full'],
    ['40 tools', 'principal:agent/alice'],
    ['nothing', 'principal:agent/nobody'],
  ]) {
    const list = () => engine.listObjects({ user, relation: 'see', type: 'tool' });
    const cold = timed(list);
    print(`visible set, ${name} (${list().length} tools), first`, `${cold.toFixed(2)} ms`);
    print(
      `visible set, ${name}, median of 15`,
      `${median(Array.from({ length: 15 }, () => timed(list))).toFixed(2)} ms`,
    );
  }
  await rm(folder, { recursive: true, force: true });
  const rows = await measureAuthorizer();
  console.table(rows);
  if (process.argv.includes('--page')) await writePage(figures, rows, before);
}

async function writePage(figures, rows, before) {
  const file = join(root, 'docs', 'benchmarks.md');
  const head = Object.keys(rows[0]);
  const table = [head, head.map(() => '---'), ...rows.map((row) => Object.values(row))].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
  const machine = `${platform()} ${arch()}, ${availableParallelism()} cores, Node ${process.versions.node}`;
  const load = `load ${before.toFixed(1)} to ${loadavg()[0].toFixed(1)}`;
  const text = `The checks before every call and list, with 100,000 tuples and 1,000 principals in memory. Cold: nothing is cached
for the principal. Warm and hot: the same check again, without changes and without reading the revision. Budget: a hot
check ≤ 5 µs, a list of 10,000 tools ≤ 20 ms cold and ≤ 1 ms warm. ${machine}, ${load}.

${table.join('\n')}

The engine alone, with another ${tupleCount.toLocaleString('en-US')} tuples and ${toolCount.toLocaleString('en-US')} tools, without the gateway's caches:

| | |
|---|---|
${figures.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`;
  await writeFile(file, sections.access.into(await readFile(file, 'utf8'), text));
  console.log('wrote docs/benchmarks.md');
}

function manyTuples() {
  const tuples = [];
  const add = (user, relation, object, condition) => tuples.push({ user, relation, object, condition });
  for (let tool = 0; tool < toolCount; tool += 1) {
    const object = `tool:server${tool % 50}/tool${tool}`;
    add(`provider:server${tool % 50}`, 'provider', object);
    add('profile:full#assignee', 'caller', object);
    if (tool < 40) add('profile:coding#assignee', 'caller', object);
  }
  add('principal:agent/full', 'assignee', 'profile:full');
  add('principal:agent/alice', 'assignee', 'profile:coding');
  add('principal:agent/alice', 'blocked', 'tool:server3/tool3');
  add('principal:agent/bob', 'caller', 'tool:server1/tool1', {
    name: 'not_expired',
    context: { until: '2030-01-01T00:00:00Z' },
  });
  // Five nested roles, then a profile.
  for (let depth = 0; depth < 5; depth += 1) add(`role:${depth + 1}#member`, 'member', `role:${depth}`);
  add('principal:agent/deep', 'member', 'role:5');
  add('role:0#member', 'assignee', 'profile:coding');
  for (let index = 0; tuples.length < tupleCount; index += 1) {
    const tool = (index * 7919 + Math.floor(index / toolCount)) % toolCount;
    add(`principal:agent/${index % 1000}`, 'caller', `tool:server${tool % 50}/tool${tool}`);
  }
  return tuples;
}

function checks() {
  const call = (user, object) => ({ user, relation: 'call', object });
  const now = { context: { now: '2026-01-01T00:00:00Z' } };
  return [
    ['direct grant', call('principal:agent/0', 'tool:server0/tool0')],
    ['through a profile', call('principal:agent/alice', 'tool:server7/tool7')],
    ['through five roles and a profile', call('principal:agent/deep', 'tool:server7/tool7')],
    ['blocked', call('principal:agent/alice', 'tool:server3/tool3')],
    ['no grant', call('principal:agent/nobody', 'tool:server7/tool7')],
    ['with a condition', call('principal:agent/bob', 'tool:server1/tool1'), now],
  ];
}

/** Microseconds per call, median of several rounds. */
function perCall(work) {
  const calls = 20_000;
  const rounds = Array.from({ length: 7 }, () => timed(() => repeat(calls, work)));
  return (median(rounds) * 1000) / calls;
}

function repeat(times, work) {
  for (let index = 0; index < times; index += 1) work();
}

/** Milliseconds of CPU time, so that other programs on the machine don't count. */
function timed(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

await main();
