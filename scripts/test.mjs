// `npm test`, also on a fresh clone: installs, builds, checks, and runs the wire suites against dist/.
// Imports only Node's built-in modules until the install is done.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { check } from './check.mjs';
import { ensureInstalled } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { add, nothing, oneStep, sentence } from './totals.mjs';
import { runProject } from './vitest-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs, builds, checks and runs the wire suites; returns the totals. */
export async function test() {
  await ensureInstalled(root);
  const build = await runCommand(process.execPath, ['scripts/build.mjs'], { cwd: root, show: true });
  const checks = await check({ isBuilt: build.code === 0 });
  const wire = build.code === 0 ? await runProject(root, 'wire') : nothing;
  return add(oneStep(build.code), checks, wire);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const total = await test();
  console.log(sentence(total));
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
}
