// `node bench/search/run.mjs [--rounds N] [--tree FOLDER] [--only NAME]`: Glob and Grep, through their service in a warm process,
// against ripgrep itself, started by the same Node with the same flags on the same tree.
import { existsSync } from 'node:fs';
import { arch, availableParallelism, loadavg, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../statistics.mjs';
import { bundleService } from './bundle.mjs';
import { cases } from './cases.mjs';
import { openArms } from './arms.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const budget = 1.15;
// What a search leaves to be done after its answer must not fall into the next arm.
const pauseMs = 150;

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '15' },
      tree: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1');
  const trees = values.tree ? [resolve(values.tree)] : [join(root, 'node_modules'), join(root, 'src')];
  const service = await import(pathToFileURL(await bundleService(root)).href);
  const before = loadavg()[0];
  for (const tree of trees.filter(existsSync))
    await measureTree({ service, tree, rounds, only: values.only });
  const machine = `${platform()} ${arch()}, ${availableParallelism()} cores, Node ${process.versions.node}`;
  console.log(`${machine}, ${rounds} rounds, load ${before.toFixed(1)} to ${loadavg()[0].toFixed(1)}`);
}

async function measureTree({ service, tree, rounds, only }) {
  const arms = await openArms(service, tree);
  const rows = {};
  try {
    for (const one of cases.filter(({ name }) => name.includes(only)))
      rows[one.name] = await measureCase(arms, one, rounds);
  } finally {
    await arms.close();
  }
  console.log(`\n${tree === root ? '.' : tree.slice(root.length)}`);
  console.table(rows);
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
  return {
    'ripgrep ms': rounded(floor),
    'service ms': rounded(ours),
    ratio: rounded(ours / floor),
    kept: ours / floor <= budget,
    'A/A': rounded(again / first),
    'plain ms': rounded(plain),
    'to plain': rounded(ours / plain),
  };
}

const rounded = (value) => Number(value.toFixed(2));

await main();
