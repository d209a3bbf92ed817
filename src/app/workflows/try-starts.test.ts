import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTrouble } from '../../agents/index.js';
import type { Processes } from '../../kernel/index.js';
import { openProcesses } from '../../services/processes/index.js';

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
  return startTrouble(program, { processes, cwd: folder, env: { PATH: process.env['PATH'] ?? '' }, signal });
}

it('a program that says its version has none', async () => {
  expect(await troubleOf('#!/bin/sh\necho 1.2.3\n')).toBeUndefined();
});

it('one that fails says why, in its own first words', async () => {
  expect(await troubleOf('#!/bin/sh\necho "  " >&2\necho "no native binary" >&2\nexit 1\n')).toBe(
    'it ends with exit code 1: no native binary',
  );
  expect(await troubleOf('#!/usr/bin/env node\nthrow new TypeError("no home");\n')).toBe(
    'it ends with exit code 1: TypeError: no home',
  );
  expect(await troubleOf('#!/bin/sh\nkill -9 $$\n')).toContain('a signal');
});

it('one whose interpreter is gone cannot even begin', async () => {
  expect(await troubleOf('#!/gone/interpreter\n')).toMatch(/ENOENT|not found|no such/i);
});

it('one that is slow is not broken, and is ended', async () => {
  const begun = performance.now();
  expect(await troubleOf('#!/bin/sh\nsleep 600\n', 300)).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(10_000);
});
