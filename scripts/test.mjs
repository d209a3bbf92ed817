// `npm test`, also on a fresh clone: installs, builds, checks, and runs the wire suites against dist/.
// Until the install is done, only Node's own modules are used here.
import { rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { check } from './check.mjs';
import { ensureInstalled } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { add, nothing, ofVitest, oneStep, sentence } from './totals.mjs';
import { vitestCommand } from './vitest-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs, builds, checks and runs the wire suites; gives the totals. */
export async function test() {
  await ensureInstalled(root);
  const build = await runCommand(process.execPath, ['scripts/build.mjs'], { cwd: root, show: true });
  const checks = await check({ isBuilt: build.code === 0 });
  const wire = build.code === 0 ? await runWire() : nothing;
  return add(oneStep(build.code), checks, wire);
}

async function runWire() {
  const { command, report } = vitestCommand(root, 'wire');
  const limitMs = process.env['TIDEGATE_COUNTS'] === 'full' ? 4 * 3_600_000 : 1_500_000;
  await rm(report, { force: true });
  const { code } = await runCommand(command[0], command.slice(1), { cwd: root, show: true, limitMs });
  return ofVitest(report, code);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const total = await test();
  console.log(sentence(total));
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
}
