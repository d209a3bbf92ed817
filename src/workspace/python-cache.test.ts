import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pythonCacheIn, sweepPythonCache } from './python-cache.js';

it('removes compiled Python after a month, and not before', async () => {
  const state = mkdtempSync(join(tmpdir(), 'tidegate-python-'));
  const folder = pythonCacheIn(state);
  await sweepPythonCache(state);
  mkdirSync(join(folder, 'a'), { recursive: true });
  await sweepPythonCache(state);
  expect(existsSync(folder)).toBe(true);
  await sweepPythonCache(state, Date.now() + 31 * 86_400_000);
  expect(existsSync(folder)).toBe(false);
  rmSync(state, { recursive: true });
});
