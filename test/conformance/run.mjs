// The official conformance suite against the built gate. `--reference` runs the fixture and the official client
// without a gate instead; `--only TEXT` keeps the parts whose name contains TEXT.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bridgeServer, fixtureServer, isBuilt, openFixture, openGate, writeConfig } from './gate.mjs';
import { CLIENT_PARTS, inapplicable, isInScope, nameOf, REFERENCE_PARTS, SERVER_PARTS } from './parts.mjs';
import { count, printPart } from './report.mjs';
import {
  installSuite,
  judge,
  requirements,
  runClientScenario,
  runServerScenario,
  runServerScenarios,
} from './suite.mjs';

const DRIVER = join(dirname(fileURLToPath(import.meta.url)), 'client-driver.mjs');
const UNUSED = /^tasks-/;

const isReference = process.argv.includes('--reference');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : '';
const isChosen = (name) => name.includes(only);

async function main() {
  await installSuite();
  if (!isReference && !isBuilt()) {
    process.stdout.write('dist/tidegate.js is missing; build the program first\n');
    return 1;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'tidegate-conformance-'));
  try {
    const rows = await runAll(scratch);
    const { passed, failed, skipped } = count(rows.filter((row) => row.isScored));
    process.stdout.write(`conformance: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    return failed > 0 || passed === 0 ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runAll(scratch) {
  const rows = [];
  const parts = isReference ? REFERENCE_PARTS : [...SERVER_PARTS, ...CLIENT_PARTS];
  for (const [index, part] of parts.entries()) {
    if (!isChosen(nameOf(part))) continue;
    const directory = join(scratch, `part-${index}`);
    const outcome =
      part.client === undefined ? await serverPart(part, directory) : await clientPart(part, directory);
    printPart({ name: nameOf(part), ...outcome });
    rows.push(...outcome.rows);
  }
  if (isChosen('control')) rows.push(await rebindingControl(join(scratch, 'control')));
  return rows;
}

async function serverPart(part, directory) {
  const { scored, unscored } = requirements(part.revision, 'server');
  const held = unscored.filter((scenario) => !UNUSED.test(scenario));
  const opened = [];
  let checks = new Map();
  let note = '';
  try {
    const target = await openTarget(part, directory, opened);
    const results = await runServerScenarios({
      url: target.url,
      revision: part.revision,
      directory: join(directory, 'results'),
    });
    checks = results.checks;
    note = target.output.stderr;
  } catch (error) {
    note = error.message;
  } finally {
    for (const each of opened.reverse()) await each.close();
  }
  const rowOf = (isScored) => (scenario) =>
    rowFor({ part, scenario, isScored, checks: checks.get(scenario) ?? [] });
  return { rows: [...scored.map(rowOf(true)), ...held.map(rowOf(false))], note };
}

/** A scenario that left no checks did not run, which is a failure and not a skip. */
function rowFor({ part, scenario, isScored, checks }) {
  const judged =
    checks.length === 0
      ? { verdict: 'failed', failures: [{ id: 'did-not-run' }], warnings: [] }
      : judge(checks);
  const reason = judged.verdict === 'passed' ? undefined : inapplicable(part, scenario);
  return { scenario, isScored, ...judged, ...(reason === undefined ? {} : { verdict: 'skipped', reason }) };
}

async function openTarget({ upstream, era, protocol }, directory, opened) {
  const open = async (thing) => {
    opened.push(await thing);
    return opened.at(-1);
  };
  if (upstream === 'none') return await open(openFixture({ era }));
  if (upstream === 'http') {
    const { url } = await open(openFixture({ era, env: { FIXTURE_PAGE_SIZE: '7' } }));
    return await open(openGate({ directory, servers: { fixture: { url, prefix: '', caller_roots: true } } }));
  }
  if (upstream === 'stdio')
    return await open(openGate({ directory, servers: { fixture: fixtureServer(era) } }));
  const within = join(directory, 'inner');
  const config = await writeConfig(within, { servers: { fixture: fixtureServer(era) } });
  return await open(openGate({ directory, servers: { inner: bridgeServer(config, within, { protocol }) } }));
}

async function clientPart(part, directory) {
  const { scored, unscored } = requirements(part.revision, 'client');
  const rows = [];
  let note = '';
  const isRun = (scenario) => (isReference ? !scenario.startsWith('auth/') : isInScope(part, scenario));
  for (const scenario of [...scored, ...unscored].filter(isRun)) {
    const { checks, output } = await runClientScenario({
      command: `${process.execPath} ${DRIVER}`,
      revision: part.revision,
      scenario,
      directory: join(directory, scenario),
      env: driverEnvironment(part),
    });
    const row = rowFor({ part, scenario, isScored: scored.includes(scenario), checks });
    if (row.verdict === 'failed') note = output;
    rows.push(row);
  }
  return { rows, note };
}

const driverEnvironment = ({ protocol, client }) => ({
  PATH: process.env.PATH,
  CONFORMANCE_PROTOCOL: protocol,
  CONFORMANCE_CLIENT: client,
  ...(isReference ? { CONFORMANCE_GATE: 'off' } : {}),
});

/** The scenario about DNS rebinding must fail on a server that does not look at Host, or it proves nothing. */
async function rebindingControl(directory) {
  const scenario = 'dns-rebinding-protection';
  const server = await openFixture({ era: 'dual', env: { FIXTURE_HOST_CHECK: 'off' } });
  let checks = [];
  try {
    checks = await runServerScenario({ url: server.url, revision: '2025-11-25', scenario, directory });
  } finally {
    await server.close();
  }
  const isCaught = judge(checks).failures.some((check) => check.id === 'localhost-host-rebinding-rejected');
  const verdict = isCaught ? 'passed' : 'failed';
  process.stdout.write(
    `${isCaught ? '✓' : '✗'} control: ${scenario} fails on a server without a Host check\n`,
  );
  return { scenario: `control ${scenario}`, isScored: !isCaught, verdict };
}

// Leaving by `exit` ends the children as well.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.exitCode = await main();
