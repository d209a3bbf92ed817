import { join } from 'node:path';

/** How to run one vitest project so that its totals can be read from a report afterwards. */
export function vitestCommand(root, project) {
  const report = join(root, '.cache', `vitest-${project}.json`);
  const vitest = join(root, 'node_modules', '.bin', 'vitest');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { command: [vitest, 'run', '--project', project, ...reporters], report };
}
