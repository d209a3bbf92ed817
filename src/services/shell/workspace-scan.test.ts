import type * as Fs from 'node:fs';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWorkspaceScan } from './workspace-scan.js';

let reads = 0;
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>();
  const readdirSync = (...args: Parameters<typeof fs.readdirSync>) => {
    reads += 1;
    if (String(args[0]).endsWith('/closed')) throw new Error('EACCES');
    return fs.readdirSync(...args);
  };
  return { ...fs, readdirSync };
});

let root: string;
beforeEach(() => {
  reads = 0;
  root = mkdtempSync(join(tmpdir(), 'tidegate-scan-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(...files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
}

const short = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1));
const placesOf = async (...rows: readonly string[]) =>
  short((await createWorkspaceScan([root], () => rows)()).places);

it('finds existing paths below the top, nearest first, and not their siblings', async () => {
  write(
    '.mcp.json',
    'a/b/.mcp.json',
    'c/.claude/settings.json',
    'c/.vscode/tasks.json',
    'd/.vscode/other.json',
  );
  expect(await placesOf('.mcp.json', '.claude/', '.vscode/tasks.json')).toEqual([
    'c/.claude',
    'c/.vscode/tasks.json',
    'a/b/.mcp.json',
  ]);
});

it('skips packages and the inside of .git, and has no depth limit', async () => {
  write('node_modules/p/.mcp.json', 'a/.git/x/.mcp.json', '1/2/3/4/5/6/7/8/.mcp.json');
  expect(await placesOf('.mcp.json', '.git/config')).toEqual(['1/2/3/4/5/6/7/8/.mcp.json']);
  write(...Array.from({ length: 3000 }, (_, index) => `f${index}/.envrc`));
  expect(await placesOf('.envrc')).toHaveLength(3000);
});

it('[15.34] reads each folder once, even if there are more than it remembers, and forgets deleted ones', async () => {
  write(...Array.from({ length: 30 }, (_, index) => `f${index}/x`));
  // Changes of the last two seconds are not remembered.
  const later = Date.now() + 10_000;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
  const scan = createWorkspaceScan([root], () => [], 20);
  const readsOf = async (work: () => Promise<unknown>) => {
    const before = reads;
    await work();
    return reads - before;
  };
  expect(await readsOf(scan)).toBe(31);
  expect(await readsOf(scan)).toBe(11);
  for (let index = 0; index < 25; index += 1) rmSync(join(root, `f${index}`), { recursive: true });
  await scan();
  await scan();
  expect(await readsOf(scan)).toBe(0);
  clock.mockRestore();
});

it('[15.34] shares one scan between simultaneous calls', async () => {
  write('a/x');
  const scan = createWorkspaceScan([root], () => []);
  await Promise.all([scan(), scan(), scan(), scan()]);
  expect(reads).toBe(2);
});

it('[15.34] names folders that it cannot list', async () => {
  write('a/closed/sub/.git');
  const { closed, trees } = await createWorkspaceScan([root], () => [])();
  expect([short(closed), trees]).toEqual([['a/closed'], []]);
});

it('finds repositories by name and by content, and sees each change', async () => {
  write(
    'a/.git/HEAD',
    'b/.git',
    'c/HEAD',
    'c/objects/x',
    'c/refs/x',
    'd/HEAD',
    'd/objects/x',
    'e/.vscode/r/.git',
  );
  const scan = createWorkspaceScan([root], () => ['.vscode/tasks.json']);
  const trees = async () => short((await scan()).trees).sort();
  expect(await trees()).toEqual(['a', 'b', 'c', 'e/.vscode/r']);
  write('d/commondir');
  renameSync(join(root, 'a'), join(root, 'd/moved'));
  expect(await trees()).toEqual(['b', 'c', 'd', 'd/moved', 'e/.vscode/r']);
});
