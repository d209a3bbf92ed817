import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCompanionWatch, isStillThere, preparePlace } from './place.js';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tidegate-place-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('the store file', () => {
  it('is created for its owner only', () => {
    const file = join(base, 'a', 'b', 'access.db');
    const identity = preparePlace(file);
    expect([statSync(join(base, 'a')).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(preparePlace(file)).toEqual(identity);
    expect(isStillThere(file, identity)).toBe(true);
  });

  it('is made unreadable for other users', () => {
    const file = join(base, 'access.db');
    writeFileSync(file, '', { mode: 0o644 });
    preparePlace(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is refused if other users can write to it or it is not a regular file', () => {
    const refused = expect.objectContaining({ code: 'store.unavailable' });
    const open = join(base, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => preparePlace(join(open, 'access.db'))).toThrow(refused);
    const loose = join(base, 'loose.db');
    writeFileSync(loose, '');
    chmodSync(loose, 0o666);
    expect(() => preparePlace(loose)).toThrow(refused);
    const target = join(base, 'target.db');
    writeFileSync(target, '', { mode: 0o600 });
    symlinkSync(target, join(base, 'link.db'));
    expect(() => preparePlace(join(base, 'link.db'))).toThrow('not a regular file');
    symlinkSync(join(base, 'nowhere.db'), join(base, 'dangling.db'));
    expect(() => preparePlace(join(base, 'dangling.db'))).toThrow('not a regular file');
    expect(lstatSync(join(base, 'nowhere.db'), { throwIfNoEntry: false })).toBe(undefined);
    mkdirSync(join(base, 'folder.db'));
    expect(() => preparePlace(join(base, 'folder.db'))).toThrow('not a regular file');
  });

  it('reports when a companion file is replaced or deleted', () => {
    const file = join(base, 'access.db');
    const areThere = createCompanionWatch(file);
    expect(areThere()).toBe(true);
    writeFileSync(`${file}-wal`, '');
    expect([areThere(), areThere()]).toEqual([true, true]);
    renameSync(`${file}-wal`, `${file}-old`);
    expect(areThere()).toBe(false);
    writeFileSync(`${file}-wal`, '');
    expect(areThere()).toBe(false);
    renameSync(`${file}-old`, `${file}-wal`);
    expect(areThere()).toBe(true);
  });

  it('reports when its path points to another file', () => {
    const file = join(base, 'access.db');
    const identity = preparePlace(file);
    renameSync(file, `${file}.old`);
    expect(isStillThere(file, identity)).toBe(false);
    writeFileSync(file, '', { mode: 0o600 });
    expect(isStillThere(file, identity)).toBe(false);
    rmSync(file);
    renameSync(`${file}.old`, file);
    expect(isStillThere(file, identity)).toBe(true);
  });
});
