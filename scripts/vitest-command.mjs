import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.mjs';
import { failuresOf, ofVitest, retriedIn } from './totals.mjs';

/** The command that runs one vitest project and writes a report with its totals. */
export function vitestCommand(root, project) {
  const report = join(root, '.cache', `vitest-${project}.json`);
  const vitest = join(root, 'node_modules', '.bin', 'vitest');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { command: [vitest, 'run', '--project', project, ...reporters], report };
}

/** Runs one vitest project against the built program, and returns its totals. */
export async function runProject(root, project) {
  const { command, report } = vitestCommand(root, project);
  const limitMs = process.env['TIDEGATE_COUNTS'] === 'full' ? 4 * 3_600_000 : 2_700_000;
  await rm(report, { force: true });
  const { code } = await runCommand(command[0], command.slice(1), { cwd: root, show: true, limitMs });
  for (const retried of await retriedIn(report)) console.log(`RETRIED ${retried}`);
  for (const failure of await failuresOf(report)) console.log(`FAIL ${failure}`);
  return ofVitest(report, code);
}
