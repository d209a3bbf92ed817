// docs/benchmarks.md, written from one run.
import { pooled } from './budget.mjs';

const arms = {
  direct: 'the server alone, without a proxy',
  relay: 'floor: a Node process that parses and forwards lines',
  relay2: 'the same floor again, to show the noise of this run',
  tidegate: '**Tidegate**, `tidegate mcp`',
  'relay-http': 'floor: bare `node:http` to one stdio child, no sessions, no checks',
  'relay-http2': 'the same floor again, to show the noise of this run',
  'mcp-proxy': 'npm peer',
  supergateway: 'npm peer, stateful Streamable HTTP',
  'tidegate-http': '**Tidegate**, `tidegate serve` with its bearer token',
};

export function page({ run, stdio, http, cold, coldTools, tools, list, verdicts, kept }) {
  const over = verdicts.filter(({ isKept }) => !isKept);
  return `<!-- Written by \`npm run bench\`. Do not edit: run it again. -->
# Benchmarks

All numbers in a section come from one run on one machine. Compare only ratios within a run:
milliseconds differ between machines and between runs.

| | |
|---|---|
| date | ${run.date} |
| Tidegate | ${run.version}, commit ${run.commit} |
| peers | ${run.peers.join(', ')} |
| machine | ${run.machine} |
| load before and after | ${run.load.join(' and ')} (one-minute average; ${run.cores} means fully loaded) |
| rounds | ${run.rounds}, interleaved: all arms run once per round |

${busyText(run)}**${verdicts.length - over.length} of ${verdicts.length} budgets met.** ${overText(over)}

## Budgets

| what | measured | budget | |
|---|---|---|---|
${verdicts.map(({ what, ratio, budget, isKept }) => `| ${what} | ${times(ratio)} | ${budget} | ${isKept ? 'ok' : '**over**'} |`).join('\n')}

Noise: two measurements of the same floor in this run differed by ${noise(stdio, 'relay', 'relay2')} (stdio) and
${noise(http, 'relay-http', 'relay-http2')} (HTTP). If a ratio is closer to its limit than that, treat it as a tie.

## A call over stdio

${table(stdio, pooled(stdio, 'relay', 'relay2'))}

## A call over HTTP

${table(http, pooled(http, 'relay-http', 'relay-http2'))}

\`×\` is the ratio to the mean of the two floors. "cold" covers the whole process tree, from spawn to the answer to
\`tools/list\`; its CPU figure has a resolution of 10 ms. Memory is the resident set of the tree after all calls.
Each call has different arguments. Tidegate runs with its normal settings: a trusted configuration file and one log line per
call. The peers run as their documentation describes.

## Cold start

${cold.n} starts of each, interleaved. The figures are the CPU of that process only, without the server behind it. As in every start except
the first, lists, tool cards and the shape of the configuration file are cached. The 60 tools are
TypeScript files of half a kilobyte in \`.tidegate/tools\`. Tidegate reads and hashes them and checks their trust, but doesn't run them.

| | CPU ms | × bare Node |
|---|---|---|
| bare Node (\`node -e 0\`), start to exit | ${cold.bare.toFixed(0)} | 1 |
| an empty module, start to exit | ${cold.script.toFixed(0)} | ${(cold.script / cold.bare).toFixed(2)} |
| \`tidegate mcp\`, start to an answered \`tools/list\` | ${cold.gate.toFixed(0)} | ${(cold.gate / cold.bare).toFixed(2)} |
| the same with 60 workspace tools, none of which runs | ${coldTools.gate.toFixed(0)} | ${(coldTools.gate / coldTools.bare).toFixed(2)} |

## Built-in tools

${tools.n} runs of each, interleaved, through \`tidegate mcp\`.

| | ms | simplest alternative | ms | × |
|---|---|---|---|---|
| \`Read\`, the last 2,000 lines of 1 GB | ${tools.read.ours.toFixed(1)} | \`tail -n 2000\` | ${tools.read.plain.toFixed(1)} | ${(tools.read.ours / tools.read.plain).toFixed(2)} |
| \`Edit\`, twice, in a file of 1 MB | ${tools.edit.ours.toFixed(1)} | read, replace, write, fsync, rename | ${tools.edit.plain.toFixed(1)} | ${(tools.edit.ours / tools.edit.plain).toFixed(2)} |

## A list of ${list.gate.tools.toLocaleString('en')} tools

All pages, ${list.n} runs of each, interleaved, over stdio.

| | tools | pages | bytes | ms |
|---|---|---|---|---|
${listRow('straight from the server', list.direct)}
${listRow('through Tidegate', list.gate)}

The first list after startup took ${list.firstMs.toFixed(0)} ms. If a server has never been listed before, the first list waits up to two
seconds for it.

${kept.join('\n\n')}

## How to repeat it

Run \`npm run bench -- --rounds ${run.rounds}\`. The measuring programs (echo server, relays, client) aren't part of this
repository; set \`TIDEGATE_BENCH\` to their folder. The peers are pinned in \`bench/peers/\`.
`;
}

/** Load from other programs slows the arms with the most processes or CPU use the most. */
function busyText({ load, cores }) {
  if (Number(load[0]) < cores / 2) return '';
  return 'The machine was busy before this run started, so the numbers are rough. Repeat the run on an idle machine.\n\n';
}

function overText(over) {
  if (over.length === 0) return 'None missed.';
  return `Missed: ${over.map(({ what, ratio, budget }) => `${what} (${times(ratio)}, budget ${budget})`).join('; ')}.`;
}

function table(rows, floor) {
  const body = [...rows].map(([name, row]) => {
    const cells = [
      `\`${name}\``,
      arms[name],
      row.p50us,
      (row.p50us / floor.p50us).toFixed(2),
      row.p99us,
      row.rps,
      (row.rps / floor.rps).toFixed(2),
      row.coldMs,
      row.coldCpuMs,
      row.rssMB,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| arm | what | p50 µs | × | p99 µs | calls/s | × | cold ms | cold CPU ms | MB |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...body,
  ].join('\n');
}

function noise(rows, name, again) {
  const difference = (key) => Math.abs(rows.get(again)[key] / rows.get(name)[key] - 1) * 100;
  return `${difference('p50us').toFixed(0)} % in p50 and ${difference('rps').toFixed(0)} % in calls per second`;
}

function times(ratio) {
  return `${ratio.toFixed(2)} ×`;
}

function listRow(name, { tools, pages, bytes, ms }) {
  return `| ${name} | ${tools} | ${pages} | ${bytes} | ${ms.toFixed(1)} |`;
}
