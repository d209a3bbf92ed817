import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failingCases } from '../support/access-cases.js';
import { type Mutant, mutants } from '../support/access-mutants.js';
import { createTrial, type EngineModule, isFlawless, tryWorld } from '../support/access-trial.js';
import { createWorld } from '../support/access-world.js';
import { type OpenSuiteEngine, runSuite } from '../support/openfga-suite.js';
import { createRandom } from '../support/random.js';
import { readOpenFgaSuite } from '../support/test-data.js';

interface BrokenEngine extends EngineModule {
  readonly openAccessEngine: OpenSuiteEngine;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const engineFolder = join(root, 'src', 'access', 'engine');
const require = createRequire(import.meta.url);
const worlds = 1_500;
let folder = '';

beforeAll(async () => {
  // Inside the project, so that the packages are found.
  folder = await mkdtemp(join(root, '.cache', 'mutants-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a broken engine', () => {
  it('control: does not include the correct one', async () => {
    expect(await noticedBy(await load(undefined))).toBeUndefined();
  });

  it.each(mutants)('is detected: $name', async (mutant) => {
    expect(await noticedBy(await load(mutant))).toBeDefined();
  });
});

/** Who notices first that something is wrong; undefined when nobody does. */
async function noticedBy(engine: BrokenEngine): Promise<string | undefined> {
  try {
    if ((await failingCases(engine.openAccessEngine)).length > 0) return 'the single cases';
    const random = createRandom(20_251_116);
    for (let world = 0; world < worlds; world++) {
      const trial = createTrial();
      tryWorld(createWorld(random), engine, trial, world % 4 === 0);
      if (!isFlawless(trial)) return 'the oracle';
    }
    for (const name of ['consolidated_1_1', 'abac'] as const) {
      const { wrong } = await runSuite(
        readOpenFgaSuite(name).found ?? [],
        'data model',
        engine.openAccessEngine,
      );
      if (wrong.length > 0) return `the suite ${name}`;
    }
  } catch (error) {
    return `a crash: ${String(error)}`;
  }
  return undefined;
}

async function load(mutant: Mutant | undefined): Promise<BrokenEngine> {
  const outfile = join(folder, `${mutants.findIndex((one) => one === mutant)}.cjs`);
  await build({
    entryPoints: [join(engineFolder, 'index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    logLevel: 'error',
    plugins: mutant === undefined ? [] : [breaking(mutant)],
  });
  return require(outfile) as BrokenEngine;
}

function breaking({ file, text, instead }: Mutant): Plugin {
  return {
    name: 'break',
    setup: (bundle) => {
      bundle.onLoad({ filter: new RegExp(`engine/${file.replace('.', '\\.')}$`) }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (source.split(text).length !== 2) throw new Error(`${file} does not have this once: ${text}`);
        return { contents: source.replace(text, () => instead), loader: 'ts' };
      });
    },
  };
}
