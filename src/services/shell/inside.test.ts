import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInside, pathForCallers, resolveDirectory } from './inside.js';

describe('the directory of a command', () => {
  let base: string;
  let roots: readonly string[];

  beforeAll(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-inside-')));
    for (const name of ['one/sub', 'two', 'one-more', 'outside'])
      mkdirSync(join(base, name), { recursive: true });
    symlinkSync(join(base, 'outside'), join(base, 'one', 'escape'));
    symlinkSync(join(base, 'two'), join(base, 'one', 'neighbour'));
    writeFileSync(join(base, 'one', 'file'), '');
    roots = [join(base, 'one'), join(base, 'two')];
  });
  afterAll(() => rmSync(base, { recursive: true }));

  it('is the first root, or a directory in any root by its real path', async () => {
    const resolved = (cwd?: string) => resolveDirectory(cwd, roots);
    expect(await resolved()).toBe(roots[0]);
    expect(await resolved('sub')).toBe(join(base, 'one', 'sub'));
    expect(await resolved(join(base, 'two'))).toBe(roots[1]);
    expect(await resolved('neighbour')).toBe(roots[1]);
    expect(await resolved('sub/../sub/.')).toBe(join(base, 'one', 'sub'));
  });

  it('is refused if it is outside, behind a link to the outside, a file, or missing', async () => {
    for (const cwd of [
      '..',
      'escape',
      '/',
      join(base, 'one-more'),
      '../one-more',
      'missing',
      'escape/../..',
      'a\0b',
    ]) {
      await expect(resolveDirectory(cwd, roots)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(resolveDirectory('file', roots)).rejects.toThrow('not a directory');
    await expect(resolveDirectory('x', [])).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('gets the same answer whether it is missing or outside', async () => {
    const failure = (cwd: string) =>
      resolveDirectory(cwd, roots).catch((error: unknown) => JSON.stringify(error));
    expect(await failure('/etc')).toBe(await failure('/no/such/place'));
  });
});

it('a sibling with the same name prefix is not inside', () => {
  expect([isInside('/a/b', '/a'), isInside('/a', '/a'), isInside('/ab', '/a'), isInside('/x', '/')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

it('shows callers paths relative to the first root', () => {
  expect(pathForCallers('/a/b/c', ['/a', '/d'])).toBe('b/c');
  expect(pathForCallers('/d/c', ['/a', '/d'])).toBe('/d/c');
  expect(pathForCallers('/a', ['/a'])).toBe('.');
});
