// `node bench/search/run.mjs [--rounds N] [--tree FOLDER] [--only NAME] [--page]`: compares Glob and Grep, through their
// service in a warm process, with ripgrep itself, started by the same Node with the same flags on the same tree. `--page`
// writes the figures into docs/benchmarks.md.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../statistics.mjs';
import { openArms } from './arms.mjs';
import { bundleService } from './bundle.mjs';
import { cases } from './cases.mjs';
import { sections } from '../sections.mjs';
import { sectionText } from './section.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const budget = 1.15;
// Cleanup after a search must not run during the next arm.
const pauseMs = 150;
// Folders that changed less than 2.5 s ago are not cached.
const calmMs = 3000;

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '15' },
      tree: { type: 'string' },
      only: { type: 'string', default: '' },
      page: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number of 1 or more');
  const service = await import(pathToFileURL(await bundleService(root)).href);
  const before = loadavg()[0];
  const trees = [];
  for (const name of values.tree ? [values.tree] : ['node_modules', 'src'])
    trees.push(
      await onCopy(name, (folder) => measureTree({ service, name, folder, rounds, only: values.only })),
    );
  const run = { ...describeRun(rounds), load: [before, loadavg()[0]].map((load) => load.toFixed(1)) };
  print(run, trees);
  if (values.page) await writePage({ run, trees });
}

/** Changing folders are read twice, so they must not be edited during a run. */
async function onCopy(name, work) {
  const base = await mkdtemp(join(tmpdir(), 'tidegate-bench-tree-'));
  try {
    const folder = join(base, basename(name));
    await cp(resolve(root, name), folder, { recursive: true, verbatimSymlinks: true });
    await sleep(calmMs);
    return await work(folder);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function measureTree({ service, name: tree, folder, rounds, only }) {
  const arms = await openArms(service, folder);
  const rows = [];
  try {
    const files = await arms.countFiles();
    for (const one of cases.filter(({ name }) => name.includes(only)))
      rows.push({ tree, name: one.name, ...(await measureCase(arms, one, rounds)) });
    return { tree, files, rows };
  } finally {
    await arms.close();
  }
}

/** Two arms of ripgrep itself: their mean is the floor, their ratio is the noise. */
async function measureCase(arms, one, rounds) {
  const times = { ripgrep: [], service: [], ripgrep2: [], plain: [] };
  await Promise.all([arms.service(one), arms.ripgrep(one)]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [arm, run] of [
      ['ripgrep', arms.ripgrep],
      ['service', arms.service],
      ['ripgrep2', arms.ripgrep],
      ['plain', arms.plain],
    ]) {
      await sleep(pauseMs);
      times[arm].push(await run(one));
    }
  }
  const [first, again, ours, plain] = ['ripgrep', 'ripgrep2', 'service', 'plain'].map((arm) =>
    median(times[arm]),
  );
  const floor = (first + again) / 2;
  return { floor, ours, ratio: ours / floor, noise: again / first, plain, toPlain: ours / plain };
}

function describeRun(rounds) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const isDirty = git('status', '--porcelain', '--', 'src/services/search', 'src/services/processes') !== '';
  const cores = availableParallelism();
  return {
    rounds,
    budget,
    cores,
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${isDirty ? ' with local changes' : ''}`,
    isRealTime: isRealTime(),
    machine: `${platform()} ${arch()}, ${cores} cores, Node ${process.versions.node}`,
  };
}

/** Whether this was started with `chrt -r 1`: other programs then have to wait, for all arms equally. */
function isRealTime() {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[38]) === 2;
  } catch {
    return false;
  }
}

function print({ machine, rounds, load }, trees) {
  for (const { tree, files, rows } of trees) {
    console.log(`\n${tree}, ${files} files`);
    const shown = rows.map(({ name, floor, ours, ratio, noise, plain, toPlain }) => [
      name,
      {
        'ripgrep ms': rounded(floor),
        'service ms': rounded(ours),
        ratio: rounded(ratio),
        kept: ratio <= budget,
        'A/A': rounded(noise),
        'plain ms': rounded(plain),
        'to plain': rounded(toPlain),
      },
    ]);
    console.table(Object.fromEntries(shown));
  }
  console.log(`${machine}, ${rounds} rounds, load ${load.join(' to ')}`);
}

const rounded = (value) => Number(value.toFixed(2));

async function writePage(measured) {
  const file = join(root, 'docs', 'benchmarks.md');
  await writeFile(file, sections.search.into(await readFile(file, 'utf8'), sectionText(measured)));
  console.log('wrote docs/benchmarks.md');
}

await main();
