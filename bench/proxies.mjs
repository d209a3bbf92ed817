// Interleaved rounds of every arm, measured with the shared measuring programs.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../scripts/run-command.mjs';
import { freePorts } from './free-ports.mjs';
import { median } from './statistics.mjs';

const columns = ['p50us', 'p99us', 'rps', 'coldMs', 'coldCpuMs', 'rssMB'];
// The reaper of a killed gateway must finish before the next arm starts.
const pauseMs = 3000;
const roundLimitMs = 600_000;

/** Each floor appears twice, to show the noise of the run. The gateway is last: see pauseMs. */
export async function stdioArms(programs, gate) {
  const node = process.execPath;
  return [
    { name: 'direct', args: stdio([node, programs.echo]) },
    { name: 'relay', args: stdio([node, programs.relay]) },
    { name: 'relay2', args: stdio([node, programs.relay]) },
    { name: 'tidegate', args: `${stdio(gate.stdio)} ${environment(gate)}` },
  ];
}

export async function httpArms(programs, gate, peers) {
  const node = process.execPath;
  const [floor, floor2, proxy, gateway, ours] = await freePorts(5);
  const mcpProxy = join(peers, 'mcp-proxy', 'dist', 'bin', 'mcp-proxy.mjs');
  const supergateway = [node, join(peers, 'supergateway', 'dist', 'index.js'), '--stdio'];
  const streamable = ['--outputTransport', 'streamableHttp', '--stateful', '--port', gateway];
  return [
    { name: 'relay-http', args: http(floor, [node, programs.relayHttp, floor]) },
    { name: 'relay-http2', args: http(floor2, [node, programs.relayHttp, floor2]) },
    {
      name: 'mcp-proxy',
      args: http(proxy, [node, mcpProxy, '--port', proxy, '--server', 'stream', '--', node, programs.echo]),
    },
    {
      name: 'supergateway',
      args: http(gateway, [...supergateway, `'${node} ${programs.echo}'`, ...streamable]),
    },
    {
      name: 'tidegate-http',
      args: `${http(ours, gate.http(ours))} ${environment(gate)} --header "${gate.authorization}"`,
    },
  ];
}

/** Medians of each arm over the rounds. Throws if an arm did not answer. */
export async function measureArms(programs, arms, rounds, report) {
  const rows = new Map(arms.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    report(`round ${round} of ${rounds}: ${arms.map(({ name }) => name).join(', ')}`);
    for (const [name, row] of await oneRound(programs, arms)) rows.get(name).push(row);
    await sleep(pauseMs);
  }
  return new Map([...rows].map(([name, values]) => [name, summary(values)]));
}

async function oneRound(programs, arms) {
  const words = arms.map(({ name, args }) => `${name}=${args}`);
  const command = [programs.compare, '1', ...words];
  const { output } = await runCommand(process.execPath, command, { limitMs: roundLimitMs });
  const rows = readTable(output);
  const silent = arms.filter(({ name }) => !rows.has(name));
  if (silent.length > 0)
    throw new Error(`no figures for ${silent.map(({ name }) => name).join(', ')}:\n${output}`);
  return rows;
}

/** Parses the table that compare.mjs prints, separated by tabs. Its ratios to the first arm are not used here. */
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
