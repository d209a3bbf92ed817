import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSpool } from './spool.js';
import { createSpoolFolders } from './spool-folder.js';

describe('the output file', () => {
  let root: string;
  const lines: string[] = [];
  const open = (maxBytes?: number) => {
    const folder = createSpoolFolders(root, (line) => lines.push(line)).of('own');
    return openSpool({ folder, shortBytes: 10, onRoom: () => {}, ...(maxBytes && { maxBytes }) });
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-spool-')));
    lines.length = 0;
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is not created for short output', async () => {
    const spool = open();
    expect(spool.write(Buffer.from('short'))).toBe(true);
    expect(await spool.settle()).toBeUndefined();
    await spool.close(true);
    expect(readdirSync(root)).toEqual([]);
  });

  it('contains everything in order, is private to this user, and is ignored by git', async () => {
    const spool = open();
    for (const word of ['one ', 'two ', 'three ', 'four']) spool.write(Buffer.from(word));
    const state = await spool.settle();
    expect(state?.name).toMatch(/^\.tidegate\/output\/own\/bash-[0-9a-f]{12}\.txt$/);
    expect(state?.isComplete).toBe(true);
    spool.write(Buffer.from(' five'));
    await spool.close(false);
    const file = join(root, state?.name ?? '');
    expect(readFileSync(file, 'utf8')).toBe('one two three four five');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, '.tidegate', 'output')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(root, '.tidegate', 'output', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('is removed if it was never reported', async () => {
    const spool = open();
    spool.write(Buffer.alloc(50));
    await spool.close(true);
    expect(readdirSync(join(root, '.tidegate', 'output'))).toEqual(['.gitignore', 'own']);
    expect(readdirSync(join(root, '.tidegate', 'output', 'own'))).toEqual([]);
  });

  it('stops at its limit, with a note', async () => {
    const spool = open(100);
    for (let count = 0; count < 50; count += 1) spool.write(Buffer.from('12345678'));
    const state = await spool.settle();
    await spool.close(false);
    expect(state?.isComplete).toBe(false);
    expect(statSync(join(root, state?.name ?? '')).size).toBe(100);
  });

  it('asks the command to wait while the disk is slow, and reports when there is room', async () => {
    const folder = createSpoolFolders(root, () => {}).of('own');
    let rooms = 0;
    const spool = openSpool({ folder, shortBytes: 10, onRoom: () => (rooms += 1) });
    expect(spool.write(Buffer.alloc(2 * 1024 * 1024))).toBe(false);
    await spool.settle();
    expect(rooms).toBeGreaterThan(0);
    expect(spool.write(Buffer.alloc(10))).toBe(true);
    await spool.close(true);
  });

  it.each([
    ['.tidegate', () => symlinkSync('/tmp', join(root, '.tidegate'))],
    [
      '.tidegate/output',
      () => (mkdirSync(join(root, '.tidegate')), symlinkSync('/tmp', join(root, '.tidegate', 'output'))),
    ],
    ['.tidegate as a file', () => symlinkSync('/dev/null', join(root, '.tidegate'))],
  ])('is not created if %s is not a folder in the workspace, with the reason', async (_name, prepare) => {
    prepare();
    const before = readdirSync('/tmp').filter((name) => name.startsWith('bash-') || name === 'output');
    const spool = open();
    spool.write(Buffer.alloc(100));
    spool.write(Buffer.alloc(100));
    expect(await spool.settle()).toBeUndefined();
    await spool.close(false);
    expect(readdirSync('/tmp').filter((name) => name.startsWith('bash-') || name === 'output')).toEqual(
      before,
    );
    expect(lines.join()).toContain('Cannot save output');
  });
});
