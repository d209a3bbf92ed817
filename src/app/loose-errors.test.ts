import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
let bundle: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-loose-')));
  bundle = join(folder, 'loose-errors.mjs');
  const entry = new URL('loose-errors.ts', import.meta.url).pathname;
  await build({ entryPoints: [entry], outfile: bundle, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program with two workspaces in which a timer of a file in `thrower` throws. */
function run(thrower: string): { readonly status: number | null; readonly stdout: string } {
  const main = join(folder, 'main.mjs');
  writeFileSync(
    main,
    `import { surviveErrorsFrom } from ${JSON.stringify(bundle)};
     for (const name of ['/one/', '/two/']) surviveErrorsFrom(name, (text) => console.log(name, text));
     setTimeout(() => { const error = new Error('loose'); error.stack = 'at ${thrower}tool.mjs'; throw error; }, 10);
     setTimeout(() => console.log('alive'), 200);`,
  );
  const { status, stdout } = spawnSync(process.execPath, [main], { encoding: 'utf8' });
  return { status, stdout };
}

it('an error of a tool is logged by its own workspace and ends none of them', () => {
  expect(run('/one/')).toEqual({ status: 0, stdout: '/one/ loose\nalive\n' });
  expect(run('/two/')).toEqual({ status: 0, stdout: '/two/ loose\nalive\n' });
});

it('control: an error from elsewhere ends the process', () => {
  expect(run('/three/').status).toBe(1);
});
