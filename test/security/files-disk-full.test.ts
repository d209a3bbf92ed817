import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFiles } from '../../src/services/files/index.js';
import { callTool, type FilePlace, openFilePlace, sessionOf } from '../support/file-place.js';
import { type CallReport, type Driver, openDriver } from '../support/files-driver.js';

const kilobyte = 1024;
const old = 'o'.repeat(300 * kilobyte);
const large = 'n'.repeat(900 * kilobyte);

let place: FilePlace;
let driver: Driver;

beforeAll(async () => {
  place = await openFilePlace();
  driver = await openDriver();
});
afterAll(async () => {
  driver.close();
  await place.close();
});

/** A file system of one megabyte, if this user may mount one. */
function mountSmall(folder: string): boolean {
  mkdirSync(folder);
  return spawnSync('sh', ['-c', 'mount -t tmpfs -o size=1m tmpfs "$1"', 'sh', folder]).status === 0;
}

describe('on a full disk', () => {
  let small: string;
  let isMounted = false;

  beforeAll(() => {
    small = join(place.base, 'small');
    isMounted = mountSmall(small);
  });
  afterAll(() => {
    if (isMounted) expect(spawnSync('sh', ['-c', 'umount "$1"', 'sh', small]).status).toBe(0);
  });

  it('the old content stays, no draft is left, and writes work again when there is space', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const service = openFiles({ roots: [small], stateDir: place.stateDir });
    const files = await service.serve(sessionOf('small'));
    writeFileSync(join(small, 'file'), old);
    await files.read('file');
    for (const attempt of [
      () => callTool('Write', { file_path: 'file', content: large }, files),
      () => callTool('Edit', { file_path: 'file', old_string: old, new_string: large }, files),
      () => callTool('Write', { file_path: 'new', content: large }, files),
    ]) {
      expect(await attempt()).toMatchObject({ code: 'bad_state', reason: 'disk_full' });
      expect(readdirSync(small)).toEqual(['file']);
      expect(readFileSync(join(small, 'file'), 'utf8')).toBe(old);
    }
    expect(await files.write('file', 'short')).toMatchObject({ bytes: 5 });
    await service.close();
  });

  it('control: a write in place loses the old content', (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    rmSync(join(small, 'file'), { force: true });
    writeFileSync(join(small, 'file'), old);
    expect(() => writeFileSync(join(small, 'file'), large.repeat(2))).toThrow('ENOSPC');
    expect(readFileSync(join(small, 'file'), 'utf8')).not.toBe(old);
  });
});

it('above the maximum file size, the old content stays and no draft is left', async () => {
  const { root, stateDir } = place;
  const path = join(root, 'limited.txt');
  const small = 'o'.repeat(20 * kilobyte);
  writeFileSync(path, small);
  writeFileSync(join(root, 'small.txt'), 'x');
  const calls = [
    { tool: 'Edit', input: { file_path: 'limited.txt', old_string: small, new_string: large } },
    { tool: 'Write', input: { file_path: 'other.txt', content: large } },
  ] as const;
  // In blocks of 512 bytes.
  const limited = ['sh', '-c', 'ulimit -f 128; exec "$@"', 'sh'];
  const driven = driver.start({ job: 'call', root, stateDir, calls }, limited);
  for (let told = 0; told < calls.length; told += 1) {
    const { answer } = JSON.parse(await driven.next()) as CallReport;
    expect(JSON.parse(answer)).toMatchObject({ code: 'bad_state', reason: 'disk_full' });
  }
  await driven.ended();
  expect(statSync(path).size).toBe(small.length);
  expect(readFileSync(path, 'utf8')).toBe(small);
  expect(readdirSync(root).sort()).toEqual(['limited.txt', 'small.txt']);
  expect(readdirSync(join(stateDir, 'drafts'))).toEqual([]);
});
