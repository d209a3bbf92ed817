import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ArmedCause } from './armed-trees.js';
import { openWatch } from './watch.js';

const none = { places: [], trees: [], armed: [], pointers: [], linking: [], closed: [] };

describe('watching protected paths', () => {
  let root: string;
  let attacks = 0;
  const at = (path: string) => join(root, path);
  const places = () => ({
    grounds: [root],
    paths: ['.claude/', '.mcp.json', '.tidegate/', 'hooks/'].map(at),
    watched: [at('.git')],
    never: [],
    links: new Map(),
    armed: [],
    isOverfull: false,
  });
  const open = (
    more: {
      readonly kept?: string;
      readonly never?: readonly string[];
      readonly armed?: readonly ArmedCause[];
    } = {},
  ) =>
    openWatch({
      first: places(),
      find: () => ({ ...places(), armed: more.armed ?? [] }),
      isFixed: (path) => path === at('fixed/config'),
      pace: (work) => work(),
      nested: none,
      findNested: () => Promise.resolve(none),
      patrolsNested: false,
      writable: [],
      reopenFolders: () => [],
      overlapping: new Set(),
      isKept: (path) => path === at(more.kept ?? 'nothing'),
      never: (more.never ?? []).map(at),
      links: new Map(),
      disarms: more.armed !== undefined,
      onAttack: () => (attacks += 1),
      onPartial: () => {},
      pathFor: (path) => path.slice(root.length + 1),
    });

  beforeEach(() => {
    attacks = 0;
    root = mkdtempSync(join(tmpdir(), 'tidegate-watch-'));
    mkdirSync(at('.claude/deep'), { recursive: true });
    writeFileSync(at('.claude/deep/a'), '1');
    writeFileSync(at('.mcp.json'), '1');
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(root, { recursive: true, force: true });
  });

  it('reports nothing if nothing changed, or only harmless files', async () => {
    const watch = await open();
    for (const folder of ['.tidegate/output', 'hooks', '.git', '.claude/empty'])
      mkdirSync(at(folder), { recursive: true });
    for (const file of ['.tidegate/output/bash-1.txt', 'hooks/pre-commit.sample', '.git/HEAD', 'other'])
      writeFileSync(at(file), '');
    expect(await watch.end()).toEqual({ createdPaths: [], changedPaths: [], undonePaths: [], made: [] });
  });

  it('names paths that were created, changed or removed, even if time and size are unchanged', async () => {
    const when = new Date(0);
    utimesSync(at('.mcp.json'), when, when);
    const watch = await open();
    writeFileSync(at('.mcp.json'), '2');
    utimesSync(at('.mcp.json'), when, when);
    rmSync(at('.claude/deep/a'));
    writeFileSync(at('.claude/deep/b'), '');
    writeFileSync(at('.git'), 'gitdir: x');
    symlinkSync('nowhere', at('.tidegate'));
    expect(await watch.end()).toEqual({
      made: [],
      createdPaths: ['.claude/deep/b', '.tidegate', '.git'],
      changedPaths: ['.claude/deep/a', '.mcp.json'],
      undonePaths: [],
    });
  });

  it('checks the target of a link', async () => {
    writeFileSync(at('real'), '1');
    rmSync(at('.mcp.json'));
    symlinkSync('real', at('.mcp.json'));
    const watch = await open();
    writeFileSync(at('real'), '22');
    expect((await watch.end()).changedPaths).toEqual(['.mcp.json']);
  });

  it('skips paths that the sandbox protects', async () => {
    const watch = await open({ kept: '.claude' });
    writeFileSync(at('.claude/deep/b'), '');
    expect((await watch.end()).createdPaths).toEqual([]);
  });

  it('moves forbidden files aside as soon as they appear, and reports them', async () => {
    vi.useFakeTimers();
    const watch = await open({ never: ['commondir'] });
    writeFileSync(at('commondir'), '');
    vi.advanceTimersByTime(1000);
    expect([existsSync(at('commondir')), attacks]).toEqual([false, 1]);
    vi.advanceTimersByTime(5000);
    expect([(await watch.end()).undonePaths, attacks]).toEqual([['commondir'], 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('moves them aside at the end at the latest', async () => {
    const watch = await open({ never: ['commondir'] });
    writeFileSync(at('commondir'), '');
    expect((await watch.end()).undonePaths).toEqual(['commondir']);
    expect(existsSync(at('commondir'))).toBe(false);
  });

  it('moves a new .git aside as a whole, and only the file of an old one', async () => {
    mkdirSync(at('old/.git'), { recursive: true });
    // The clock of the disk is some milliseconds late.
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    pause();
    const armed = ['old', 'new'].map((name) => ({ tree: at(name), cause: at(`${name}/.git/config`) }));
    const watch = await open({ armed });
    pause();
    mkdirSync(at('new/.git'), { recursive: true });
    for (const { cause } of armed) writeFileSync(cause, '');
    expect((await watch.end()).undonePaths).toEqual(['old/.git/config', 'new/.git']);
    expect(existsSync(at('old/.git/config.undone-1'))).toBe(true);
    expect(existsSync(at('new/.git.undone-1/config'))).toBe(true);
  });

  it('ignores paths that no command could have written: below a mount, or outside the workspace', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'tidegate-outside-'));
    mkdirSync(at('fixed'));
    for (const file of [at('fixed/config'), join(outside, 'config')]) writeFileSync(file, '');
    const causes = [at('fixed/config'), join(outside, 'config')];
    const watch = await open({ armed: causes.map((cause) => ({ tree: at('old'), cause })) });
    expect((await watch.end()).undonePaths).toEqual([]);
    expect(causes.every((cause) => existsSync(cause))).toBe(true);
    rmSync(outside, { recursive: true });
  });

  it('ends the command if it sees the same file twice, not for one that is half written', async () => {
    vi.useFakeTimers();
    writeFileSync(at('index'), '');
    const armed = [{ tree: at('old'), cause: at('index') }];
    const watch = await open({ armed });
    vi.advanceTimersByTime(1000);
    expect(attacks).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(attacks).toBe(1);
    expect((await watch.end()).undonePaths).toEqual(['index']);
  });
});
