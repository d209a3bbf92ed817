import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from './find-program.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tidegate-find-'));
  for (const name of ['a', 'b', 'c']) mkdirSync(join(root, name));
  mkdirSync(join(root, 'a', 'tool'));
  writeFileSync(join(root, 'b', 'tool'), '');
  writeFileSync(join(root, 'c', 'tool'), '');
  chmodSync(join(root, 'c', 'tool'), 0o755);
});
afterAll(() => rmSync(root, { recursive: true }));

describe('findProgram', () => {
  const on = (...folders: readonly string[]) => ({
    PATH: folders.map((name) => (name === '' ? '' : join(root, name))).join(delimiter),
  });

  it('finds the first executable file on PATH, and no folder', () => {
    expect(findProgram('tool', on('a', 'b', 'c'), root)).toBe(join(root, 'c', 'tool'));
  });

  it('does not search folders outside PATH, not even the project', () => {
    expect(findProgram('tool', on('a', 'b'), join(root, 'c'))).toBeUndefined();
    expect(findProgram('tool', on(''), join(root, 'c'))).toBeUndefined();
    expect(findProgram('tool', {}, join(root, 'c'))).toBeUndefined();
  });

  it('returns a path as is', () => {
    expect(findProgram('./tool', {}, join(root, 'c'))).toBe(join(root, 'c', 'tool'));
    expect(findProgram(join(root, 'c', 'tool'), {}, root)).toBe(join(root, 'c', 'tool'));
    expect(findProgram('./tool', {}, join(root, 'b'))).toBeUndefined();
  });
});
