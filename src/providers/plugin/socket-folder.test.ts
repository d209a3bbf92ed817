import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeSocketFolder, sweepSocketFolders } from './socket-folder.js';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tg-sockets-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const gone = 2 ** 22 - 3;
const folder = (pid: number): string => {
  const path = join(home, `${String(pid)}-0123456789ab`);
  mkdirSync(path);
  return path;
};

const isRunning = (pid: number): boolean => pid !== gone;

it('a socket folder is private, and its path is short enough', async () => {
  const made = makeSocketFolder(home);
  expect(statSync(made.path).mode & 0o777).toBe(0o700);
  await made.remove();
  expect(await readdir(home)).toEqual([]);
  const long = makeSocketFolder(join(home, 'x'.repeat(90)));
  expect(Buffer.byteLength(join(long.path, 'plugin1234567890'))).toBeLessThan(104);
  await long.remove();
});

it('folders of ended processes are removed, and those of others are not', async () => {
  writeFileSync(join(folder(gone), 'plugin1'), '');
  const own = makeSocketFolder(home);
  writeFileSync(join(home, 'notes.txt'), '');
  expect(await sweepSocketFolders(home, isRunning)).toBe(1);
  expect((await readdir(home)).sort()).toEqual([own.path.slice(home.length + 1), 'notes.txt'].sort());
});

it('a folder whose pid was reused by another process is removed once nothing listens there', async () => {
  const path = folder(1);
  const old = new Date(Date.now() - 3600_000);
  const socket = join(path, 'plugin1');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  utimesSync(path, old, old);
  expect(await sweepSocketFolders(home, isRunning)).toBe(0);
  await new Promise((resolve) => server.close(resolve));
  writeFileSync(socket, '');
  utimesSync(path, old, old);
  expect(await sweepSocketFolders(home, isRunning)).toBe(1);
});

it('a folder that others can write to is not used', () => {
  const open = join(home, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  expect(() => makeSocketFolder(open)).toThrow('other users can change');
});
