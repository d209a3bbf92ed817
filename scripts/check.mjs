// All checks that must pass before a commit. `--built` means that dist/ is already up to date. To run single steps, name
// them: `node scripts/check.mjs lint types`.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runCommand } from './run-command.mjs';
import { add, failuresOf, ofVitest, oneStep, sentence } from './totals.mjs';
import { vitestCommand } from './vitest-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const atOnce = 2;
const bin = (name) => join(root, 'node_modules', '.bin', name);
const script = (name) => [process.execPath, join(root, 'scripts', name)];
const unit = vitestCommand(root, 'unit');

/** Longest steps first, so that both lanes end at about the same time. `needsBuild`: waits for dist/. */
const steps = [
  { name: 'build', command: script('build.mjs') },
  { name: 'lint', command: script('lint.mjs') },
  {
    name: 'unit tests',
    command: unit.command,
    count: (code) => ofVitest(unit.report, code),
    report: unit.report,
  },
  { name: 'types', command: [bin('tsc'), '-p', 'tsconfig.json', '--pretty', 'false'] },
  { name: 'unused code', command: [bin('knip'), '--no-progress'] },
  { name: 'dependencies', command: [bin('depcruise'), 'src', '--config', '.dependency-cruiser.cjs'] },
  { name: 'format', command: [bin('biome'), 'format', '.'] },
  { name: 'generated', command: [...script('generate.mjs'), '--check'], needsBuild: true },
  { name: 'package', command: script('check-package.mjs'), needsBuild: true },
];

/** Runs the steps, prints one line for each and returns the totals. */
export async function check({ isBuilt = false, only = [] } = {}) {
  await mkdir(join(root, '.cache', 'check'), { recursive: true });
  const chosen = steps.filter(({ name }) =>
    only.length > 0 ? only.includes(name) : !(isBuilt && name === 'build'),
  );
  const build = deferred();
  if (!chosen.some(({ name }) => name === 'build')) build.resolve();
  const waiting = [...chosen];
  const totals = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      if (step.needsBuild) await build.promise;
      totals.push(await runStep(step));
      if (step.name === 'build') build.resolve();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return add(...totals);
}

async function runStep({ name, command, count = oneStep, report }) {
  if (report) await rm(report, { force: true });
  const result = await runCommand(command[0], command.slice(1), { cwd: root, limitMs: 900_000 });
  const total = await count(result.code);
  const hasFailed = total.failed > 0;
  await writeFile(join(root, '.cache', 'check', `${name.replace(' ', '-')}.log`), result.output);
  const detail = count === oneStep ? '' : `  (${sentence(total)})`;
  console.log(
    `${hasFailed ? 'FAIL' : 'ok  '} ${name.padEnd(12)} ${(result.ms / 1000).toFixed(1).padStart(6)} s${detail}`,
  );
  if (hasFailed) {
    const failures = report ? await failuresOf(report) : [];
    const said = failures.length > 0 ? failures.join('\n') : result.output;
    console.log(said.trimEnd().replace(/^/gm, '     '));
  }
  return total;
}

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const total = await check({ isBuilt: process.argv.includes('--built'), only: names });
  console.log(sentence(total));
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
}
