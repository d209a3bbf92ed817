// Runs all tests: `npm test`, the security suites, the suites with real agents, the official conformance suite, and
// every slow suite (test/slow/*/run.mjs). Counts are full unless TIDEGATE_COUNTS is set. A suite is a program whose last
// line is `N passed, N failed, N skipped`, with or without a name in front.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { test } from './test.mjs';
import { testAgents } from './test-agents.mjs';
import { add, ofOutput, oneStep, sentence } from './totals.mjs';
import { runProject } from './vitest-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const suiteLimitMs = 2 * 3_600_000;

async function main() {
  process.env['TIDEGATE_COUNTS'] ??= 'full';
  const parts = [
    ['npm test', await attempt(test)],
    ['test/security', await attempt(() => runProject(root, 'security'))],
    ['test/security, alone', await attempt(() => runProject(root, 'security-alone'))],
    ['test/agents', await attempt(testAgents)],
  ];
  for (const folder of await suiteFolders()) parts.push([folder, await attempt(() => runSuite(folder))]);
  console.log('');
  for (const [name, total] of parts) console.log(`${name}: ${sentence(total)}`);
  const total = add(...parts.map(([, one]) => one));
  console.log(sentence(total));
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
}

async function suiteFolders() {
  const slow = existsSync(join(root, 'test/slow')) ? await readdir(join(root, 'test/slow')) : [];
  const folders = ['test/conformance', ...slow.sort().map((name) => `test/slow/${name}`)];
  return folders.filter((folder) => existsSync(join(root, folder, 'run.mjs')));
}

async function runSuite(folder) {
  console.log(`\n${folder}`);
  const path = join(root, folder);
  // Suites whose tools need another Node version, or are large, have their own package.
  if (existsSync(join(path, 'package-lock.json'))) await ensureInstalled(path);
  const run = [join(path, 'run.mjs')];
  return ofOutput(await runCommand(process.execPath, run, { cwd: root, show: true, limitMs: suiteLimitMs }));
}

async function attempt(part) {
  try {
    return await part();
  } catch (error) {
    console.error(error);
    return oneStep(1);
  }
}

await main();
