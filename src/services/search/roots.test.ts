import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareRoots, readRoots } from './roots.js';

let base: string;
let roots: BareRoots;

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-roots-')));
  for (const folder of ['one/sub', 'one-more', 'two', 'out'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['one/sub/file', 'one-more/file', 'out/file']) writeFileSync(join(base, file), '');
  symlinkSync(join(base, 'one'), join(base, 'spelled'));
  symlinkSync('../out', join(base, 'one', 'leads-out'));
  symlinkSync('../out/nothing', join(base, 'one', 'dangles-out'));
  symlinkSync('sub/nothing', join(base, 'one', 'dangles-in'));
  symlinkSync('sub', join(base, 'one', 'leads-in'));
  symlinkSync('circle', join(base, 'one', 'circle'));
  roots = await readRoots([join(base, 'spelled'), join(base, 'two')]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a path', () => {
  it.each([
    ['.', 'one'],
    ['sub/file', 'one/sub/file'],
    ['sub/../sub/./file', 'one/sub/file'],
    ['leads-in/file', 'one/sub/file'],
    ['../two', 'two'],
  ])('%s is found inside', async (path, real) => {
    expect(await roots.locate(path)).toBe(join(base, real));
  });

  it('can be absolute, and spelled through a link to a root', async () => {
    expect(await roots.locate(join(base, 'two'))).toBe(join(base, 'two'));
    expect(await roots.locate(join(base, 'one', 'sub'))).toBe(join(base, 'one', 'sub'));
    expect(await roots.locate(join(base, 'spelled', 'sub'))).toBe(join(base, 'one', 'sub'));
  });

  it.each([
    '..',
    '/',
    '../one-more/file',
    '../out/file',
    '../out/nothing',
    'leads-out',
    'leads-out/file',
    'leads-out/nothing',
    'leads-out/no/thing',
    'dangles-out',
    'dangles-out/more',
    '../\0',
  ])('%j is refused with the same message whether it exists or not', async (path) => {
    await expect(roots.locate(path)).rejects.toMatchObject({
      code: 'refused',
      facts: { reason: 'outside_workspace' },
      message: `${JSON.stringify(path)} is outside the workspace; give a path inside ${join(base, 'one')}.`,
    });
  });

  it.each([
    'nothing',
    'sub/no/thing',
    'sub/file/x',
    'dangles-in',
    'circle',
    'circle/x',
    'a\0b',
    'x'.repeat(300),
  ])('%j is not found', async (path) => {
    await expect(roots.locate(path)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is reported relative to the first root, or absolute', () => {
    expect(roots.nameOf(join(base, 'one', 'sub', 'file'))).toBe('sub/file');
    expect(roots.nameOf(join(base, 'one'))).toBe('.');
    expect(roots.nameOf(join(base, 'two', 'x'))).toBe(join(base, 'two', 'x'));
  });
});
