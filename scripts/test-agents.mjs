// `npm run test:agents`: installs the real agent CLIs in test/agents and runs the suites that drive them against dist/.
// If they cannot be installed, that is a failure, because nothing was tested.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { sentence } from './totals.mjs';
import { runProject } from './vitest-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs the suites with the real agents against an existing dist/, and returns the totals. */
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
