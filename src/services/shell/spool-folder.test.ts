import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSpoolFolders } from './spool-folder.js';

describe('the folder for long output', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-spool-')));
    folder = join(root, '.tidegate', 'output');
    mkdirSync(folder, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const put = (digit: string, hours: number, bytes = 1) => {
    // Files of every principal count, and those that older versions kept for all.
    const owner = join(folder, digit === 'a' ? '.' : digit.repeat(16));
    mkdirSync(owner, { recursive: true });
    const file = join(owner, `bash-${digit.repeat(12)}.txt`);
    writeFileSync(file, '');
    truncateSync(file, bytes);
    const time = Date.now() / 1000 - hours * 3600;
    utimesSync(file, time, time);
    return file;
  };

  it('loses files older than a day, and the oldest if there are too many', async () => {
    const [old, young] = [put('a', 25), put('b', 1)];
    const [large, larger] = [put('c', 2, 300 * 1024 * 1024), put('d', 3, 300 * 1024 * 1024)];
    const other = join(folder, 'notes.txt');
    writeFileSync(other, 'not ours');
    await createSpoolFolders(root, () => {}).sweep();
    expect([old, young, large, larger, other].map((file) => existsSync(file))).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  it('is cleaned before the next file is created, except files that are being written', async () => {
    const old = put('a', 25);
    const spools = createSpoolFolders(root, () => {});
    const place = await spools.of('0123456789abcdef').create();
    expect(existsSync(old)).toBe(false);
    await spools.sweep();
    expect(readdirSync(folder)).toHaveLength(2);
    await place?.done(false);
  });

  it('is not created only to be cleaned', async () => {
    rmSync(join(root, '.tidegate'), { recursive: true });
    await createSpoolFolders(root, () => {}).sweep();
    expect(existsSync(join(root, '.tidegate'))).toBe(false);
  });
});
