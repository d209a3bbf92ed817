import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openWatch } from './watch.js';

describe('the watch over protected places', () => {
  let root: string;
  let attacks = 0;
  const at = (path: string) => join(root, path);
  const open = (more: { readonly kept?: string; readonly never?: readonly string[] } = {}) =>
    openWatch({
      find: () => ({
        grounds: [root],
        paths: ['.claude/', '.mcp.json', '.tidegate/', 'hooks/'].map(at),
        watched: [at('.git')],
        never: [],
      }),
      isKept: (path) => path === at(more.kept ?? 'nothing'),
      never: (more.never ?? []).map(at),
      onAttack: () => (attacks += 1),
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

  it('says nothing when nothing happened, or only what makes nobody do anything', () => {
    const watch = open();
    for (const folder of ['.tidegate/output', 'hooks', '.git', '.claude/empty'])
      mkdirSync(at(folder), { recursive: true });
    for (const file of ['.tidegate/output/bash-1.txt', 'hooks/pre-commit.sample', '.git/HEAD', 'other'])
      writeFileSync(at(file), '');
    expect(watch.end()).toEqual({ createdPaths: [], changedPaths: [], undonePaths: [] });
  });

  it('names what came to be, changed or went, also when its time and size are as before', () => {
    const when = new Date(0);
    utimesSync(at('.mcp.json'), when, when);
    const watch = open();
    writeFileSync(at('.mcp.json'), '2');
    utimesSync(at('.mcp.json'), when, when);
    rmSync(at('.claude/deep/a'));
    writeFileSync(at('.claude/deep/b'), '');
    writeFileSync(at('.git'), 'gitdir: x');
    symlinkSync('nowhere', at('.tidegate'));
    expect(watch.end()).toEqual({
      createdPaths: ['.claude/deep/b', '.tidegate', '.git'],
      changedPaths: ['.claude/deep/a', '.mcp.json'],
      undonePaths: [],
    });
  });

  it('looks through a link at what it leads to', () => {
    writeFileSync(at('real'), '1');
    rmSync(at('.mcp.json'));
    symlinkSync('real', at('.mcp.json'));
    const watch = open();
    writeFileSync(at('real'), '22');
    expect(watch.end().changedPaths).toEqual(['.mcp.json']);
  });

  it('passes by what the sandbox keeps', () => {
    const watch = open({ kept: '.claude' });
    writeFileSync(at('.claude/deep/b'), '');
    expect(watch.end().createdPaths).toEqual([]);
  });

  it('removes on sight what must never be, and says so', () => {
    vi.useFakeTimers();
    const watch = open({ never: ['commondir'] });
    writeFileSync(at('commondir'), '');
    vi.advanceTimersByTime(1000);
    expect([existsSync(at('commondir')), attacks]).toEqual([false, 1]);
    vi.advanceTimersByTime(5000);
    expect([watch.end().undonePaths, attacks]).toEqual([['commondir'], 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('removes it at the end at the latest', () => {
    const watch = open({ never: ['commondir'] });
    writeFileSync(at('commondir'), '');
    expect(watch.end().undonePaths).toEqual(['commondir']);
    expect(existsSync(at('commondir'))).toBe(false);
  });
});
