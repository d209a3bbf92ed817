// `npm run test:agents`: installs the real agent CLIs in test/agents and runs the suites that drive them against dist/.
// An install that is impossible is a failure: without them nothing was proven.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { sentence } from './totals.mjs';
import { runProject } from './vitest-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs the suites with the real agents against a dist/ that is there already; gives the totals. */
export async function testAgents() {
  await ensureInstalled(join(root, 'test/agents'));
  return runProject(root, 'agents');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureInstalled(root);
  const build = await runCommand(process.execPath, ['scripts/build.mjs'], { cwd: root, show: true });
  if (build.code !== 0) throw new Error('the build failed');
  const total = await testAgents();
  console.log(sentence(total));
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
}
