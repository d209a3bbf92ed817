// `node --expose-gc bench/toolsearch/cost.mjs FOLDER TOOLS`: the cost of the index with that many tools, as one line of
// JSON. Runs in its own process, so that memory and compiled code belong to one index.
import { openToolIndex } from '../../dist/testing.js';
import { loadSet } from './score.mjs';

const sets = ['mcp-tools', 'bfcl-synthetic', 'sealtools-dev', 'metatool-single', 'restbench-tmdb'];
const turns = 5;
const mostQueries = 600;
const serverSize = 50;

async function main([folder, count]) {
  const loaded = sets.map((name) => loadSet(folder, name));
  const servers = serversOf(pool(loaded, Number(count)));
  const queries = loaded
    .flatMap(({ queries: own }) => own.slice(0, mostQueries / 4))
    .map(({ query }) => query);
  await openToolIndex();
  const opened = performance.now();
  const index = await fill(servers);
  const build = performance.now() - opened;
  const searching = cpu();
  index.search('a first search');
  const first = searching();
  const { megabytes } = await weigh(servers);
  const times = queries.map((query) => timeOf(() => index.search(query, { limit: 10 })));
  times.sort((a, b) => a - b);
  console.log(
    JSON.stringify({
      tools: index.size,
      build,
      first,
      p50: times[Math.floor(times.length * 0.5)],
      p99: times[Math.floor(times.length * 0.99)],
      megabytes,
      added: added(index, loaded[0].tools),
      turns,
    }),
  );
}

async function fill(servers) {
  const index = await openToolIndex();
  for (const [server, tools] of servers) index.setServer(server, tools);
  return index;
}

/** A second index, so that code loaded by the first one does not count. */
async function weigh(servers) {
  global.gc();
  const before = memory();
  const index = await fill(servers);
  index.search('a first search');
  global.gc();
  return { index, megabytes: (memory() - before) / 2 ** 20 };
}

/** Real tools; if there are too few, they repeat under other servers. */
function pool(loaded, count) {
  const all = loaded.flatMap(({ name, tools }) =>
    tools.map((tool) => ({ ...tool, id: `${name}/${tool.id}` })),
  );
  return Array.from({ length: count }, (_, at) => {
    const tool = all[at % all.length];
    const turn = Math.floor(at / all.length);
    return turn === 0 ? tool : { ...tool, id: `${tool.id}/${turn}`, server: `${tool.server} ${turn}` };
  });
}

function serversOf(tools) {
  const servers = new Map();
  for (const tool of tools) servers.set(tool.server, [...(servers.get(tool.server) ?? []), tool]);
  return servers;
}

/** The median for several servers of 50 tools. */
function added(index, tools) {
  const times = Array.from({ length: 9 }, (_, turn) => {
    const own = tools.slice(turn * serverSize, (turn + 1) * serverSize);
    const taken = cpu();
    index.setServer(
      `added ${turn}`,
      own.map((tool) => ({ ...tool, id: `added/${tool.id}` })),
    );
    return taken();
  });
  return times.sort((a, b) => a - b)[4];
}

function timeOf(work) {
  const times = Array.from({ length: turns }, () => {
    const taken = cpu();
    work();
    return taken();
  });
  return times.sort((a, b) => a - b)[Math.floor(turns / 2)];
}

/** Milliseconds of CPU time since then. */
function cpu() {
  const from = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1000;
  };
}

function memory() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

await main(process.argv.slice(2));
