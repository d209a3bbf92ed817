// Interleaved rounds of every arm, measured by the shared rulers.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../scripts/run-command.mjs';
import { freePorts } from './free-ports.mjs';
import { median } from './statistics.mjs';

const columns = ['p50us', 'p99us', 'rps', 'coldMs', 'coldCpuMs', 'rssMB'];
// What the reaper of a killed gate still does must not fall into the next arm.
const pauseMs = 3000;
const roundLimitMs = 600_000;

/** Each floor stands twice, so that the noise of the run can be seen. The gate is last: see pauseMs. */
export async function stdioArms(rulers, gate) {
  const node = process.execPath;
  return [
    { name: 'direct', args: stdio([node, rulers.echo]) },
    { name: 'relay', args: stdio([node, rulers.relay]) },
    { name: 'relay2', args: stdio([node, rulers.relay]) },
    { name: 'tidegate', args: `${stdio(gate.stdio)} ${environment(gate)}` },
  ];
}

export async function httpArms(rulers, gate, peers) {
  const node = process.execPath;
  const [floor, floor2, proxy, gateway, ours] = await freePorts(5);
  const mcpProxy = join(peers, 'mcp-proxy', 'dist', 'bin', 'mcp-proxy.mjs');
  const supergateway = [node, join(peers, 'supergateway', 'dist', 'index.js'), '--stdio'];
  const streamable = ['--outputTransport', 'streamableHttp', '--stateful', '--port', gateway];
  return [
    { name: 'relay-http', args: http(floor, [node, rulers.relayHttp, floor]) },
    { name: 'relay-http2', args: http(floor2, [node, rulers.relayHttp, floor2]) },
    {
      name: 'mcp-proxy',
      args: http(proxy, [node, mcpProxy, '--port', proxy, '--server', 'stream', '--', node, rulers.echo]),
    },
    {
      name: 'supergateway',
      args: http(gateway, [...supergateway, `'${node} ${rulers.echo}'`, ...streamable]),
    },
    {
      name: 'tidegate-http',
      args: `${http(ours, gate.http(ours))} ${environment(gate)} --header "${gate.authorization}"`,
    },
  ];
}

/** Medians of each arm over the rounds; throws when an arm did not answer. */
export async function measureArms(rulers, arms, rounds, report) {
  const rows = new Map(arms.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    report(`round ${round} of ${rounds}: ${arms.map(({ name }) => name).join(', ')}`);
    for (const [name, row] of await oneRound(rulers, arms)) rows.get(name).push(row);
    await sleep(pauseMs);
  }
  return new Map([...rows].map(([name, values]) => [name, summary(values)]));
}

async function oneRound(rulers, arms) {
  const words = arms.map(({ name, args }) => `${name}=${args}`);
  const command = [rulers.compare, '1', ...words];
  const { output } = await runCommand(process.execPath, command, { limitMs: roundLimitMs });
  const rows = readTable(output);
  const silent = arms.filter(({ name }) => !rows.has(name));
  if (silent.length > 0)
    throw new Error(`no figures for ${silent.map(({ name }) => name).join(', ')}:\n${output}`);
  return rows;
}

/** The table that compare.mjs prints: tabs, with the ratios to its first arm, which are not used here. */
function readTable(output) {
  const lines = output.split('\n').map((line) => line.split('\t'));
  const heads = lines.find(([first]) => first === 'arm') ?? [];
  const rows = lines.filter((cells) => cells.length === heads.length && cells[0] !== 'arm');
  return new Map(
    rows.map((cells) => [
      cells[0],
      Object.fromEntries(columns.map((name) => [name, Number(cells[heads.indexOf(name)])])),
    ]),
  );
}

function summary(values) {
  const medians = columns.map((name) => [name, median(values.map((value) => value[name]))]);
  return { n: values.length, ...Object.fromEntries(medians) };
}

function stdio(command) {
  return `--stdio "${command.join(' ')}"`;
}

function http(port, command) {
  return `--http http://127.0.0.1:${port}/mcp --spawn "${command.join(' ')}"`;
}

function environment(gate) {
  return `--env '${JSON.stringify(gate.environment)}'`;
}
