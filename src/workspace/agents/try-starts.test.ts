import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startProblem } from '../../agents/index.js';
import type { Processes } from '../../ports/processes.js';
import { openProcesses } from '../../services/processes/index.js';
import { reportStarts } from './try-starts.js';

let folder: string;
let processes: Processes;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-start-'));
  processes = openProcesses({ stateDir: folder });
});
afterAll(async () => {
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

function troubleOf(text: string, limitMs = 20_000): Promise<string | undefined> {
  const program = join(folder, `program-${String(text.length)}`);
  writeFileSync(program, text);
  chmodSync(program, 0o755);
  const signal = AbortSignal.timeout(limitMs);
  return startProblem(program, { processes, cwd: folder, env: { PATH: process.env['PATH'] ?? '' }, signal });
}

it('a program that prints its version has no problem', async () => {
  expect(await troubleOf('#!/bin/sh\necho 1.2.3\n')).toBeUndefined();
});

it('a failing program is reported with the first line of its error', async () => {
  expect(await troubleOf('#!/bin/sh\necho "  " >&2\necho "no native binary" >&2\nexit 1\n')).toBe(
    'it exits with code 1: no native binary',
  );
  expect(await troubleOf('#!/usr/bin/env node\nthrow new TypeError("no home");\n')).toBe(
    'it exits with code 1: TypeError: no home',
  );
  expect(await troubleOf('#!/bin/sh\nkill -9 $$\n')).toContain('a signal');
});

it('a program without its interpreter cannot start', async () => {
  expect(await troubleOf('#!/gone/interpreter\n')).toMatch(/ENOENT|not found|no such/i);
});

it('a slow program is not reported as broken, and is ended', async () => {
  const begun = performance.now();
  expect(await troubleOf('#!/bin/sh\nsleep 600\n', 300)).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(10_000);
});

describe.skipIf(process.platform === 'win32')('a program inside a project', () => {
  let world: string;
  beforeEach(() => {
    world = mkdtempSync(join(tmpdir(), 'tidegate-world-'));
    for (const name of ['home', 'bin']) mkdirSync(join(world, name));
  });
  afterEach(() => rmSync(world, { recursive: true, force: true }));

  /** Leaves a mark when started, and fails, so that it is tried again with the user's environment. */
  function plant(path: string, shebang = '#!/bin/sh'): string {
    const file = join(world, path);
    mkdirSync(dirname(file), { recursive: true });
    const body = shebang.includes('sh') ? `touch '${file}.ran'\nexit 1\n` : '';
    writeFileSync(file, `${shebang}\n${body}`, { mode: 0o755 });
    return `${file}.ran`;
  }

  async function asked(cwd: string, ...path: readonly string[]): Promise<void> {
    mkdirSync(join(world, cwd), { recursive: true });
    const folders = [...path.map((one) => join(world, one)), '/usr/bin', '/bin'];
    const env = { HOME: join(world, 'home'), PATH: folders.join(delimiter) };
    const signal = AbortSignal.timeout(20_000);
    await reportStarts({ cwd: join(world, cwd), env, version: '0', signal, limitMs: 15_000 });
  }

  it.each([
    ['above a folder without git', 'app/package.json', 'app/packages/a', 'app/node_modules/.bin'],
    ['of the repository around a submodule', 'repo/.git/x', 'repo/sub', 'repo/tools'],
    ['of another project', 'other/x', 'app', 'other/node_modules/.bin'],
  ])('is not started: %s', async (_, mark, cwd, bin) => {
    plant(mark);
    plant(`${cwd}/.git/x`);
    const ran = plant(`${bin}/claude`);
    await asked(cwd, bin);
    expect(existsSync(ran)).toBe(false);
    // The control: the same program in a folder of user programs is started.
    const own = plant('bin/claude');
    await asked(cwd, 'bin');
    expect(existsSync(own)).toBe(true);
  });

  it('does not replace the interpreter of an agent', async () => {
    plant('app/.git/x');
    plant('bin/claude', '#!/usr/bin/env speaker');
    const ran = plant('app/node_modules/.bin/speaker');
    await asked('app', 'app/node_modules/.bin', 'bin');
    expect(existsSync(ran)).toBe(false);
    const own = plant('bin/speaker');
    await asked('app', 'app/node_modules/.bin', 'bin');
    expect(existsSync(own)).toBe(true);
  });
});
