import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCgroups } from './cgroup.js';
import { findHierarchies } from './cgroup-hierarchies.js';
import { usualLimits } from './limits.js';

describe('[15.13] a cgroup for a command', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'tidegate-cgroup-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  /** As the kernel does: a new folder has its files at once. */
  const hold =
    (files: readonly string[]) =>
    ([folder = '']: readonly string[]) => {
      mkdirSync(folder);
      for (const file of files) writeFileSync(join(folder, file), '');
      return () => rmSync(folder, { recursive: true });
    };
  const unified = ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cgroup.procs'];

  it('has the configured limits in a unified hierarchy, and reports which was exceeded', async () => {
    const find = () => [{ version: 2, parent, controllers: ['memory', 'pids'] }] as const;
    const group = createCgroups({ hold: hold(unified) }, 'x', find)(usualLimits);
    const folder = group?.folders[0] ?? '';
    const valueOf = (file: string) => readFileSync(join(folder, file), 'utf8');
    expect(valueOf('memory.max')).toBe(String(4096 * 1024 * 1024));
    expect(valueOf('memory.oom.group')).toBe('1');
    expect(valueOf('pids.max')).toBe(String(1024 * 8));
    expect(group?.breach()).toBeUndefined();
    // The machine ran out, not this group.
    writeFileSync(join(folder, 'memory.events'), 'low 0\nmax 0\noom 0\noom_kill 1\n');
    expect(group?.breach()).toBeUndefined();
    writeFileSync(join(folder, 'memory.events'), 'low 0\nmax 3\noom 1\noom_kill 1\n');
    expect(group?.breach()).toBe('memory');
    writeFileSync(join(folder, 'memory.events'), '');
    writeFileSync(join(folder, 'pids.events'), 'max 2\n');
    expect(group?.breach()).toBe('processes');
    await group?.close();
    expect(existsSync(folder)).toBe(false);
  });

  it('is not created if a limit cannot be set, or if there is none', () => {
    const find = () => [{ version: 1, parent, controllers: ['memory'] }] as const;
    const openBroken = createCgroups({ hold: hold([]) }, 'x', find);
    expect(openBroken(usualLimits)).toBeUndefined();
    expect(openBroken({ ...usualLimits, memory: 0 })).toBeUndefined();
    expect(existsSync(join(parent, 'tidegate.x.1'))).toBe(false);
  });

  it('is created only where cgroups are mounted and writable', () => {
    const mounts = '30 20 0:1 / /elsewhere/cgroup rw - cgroup cgroup rw,memory\n';
    expect(findHierarchies({ mounts, own: '4:memory:/a\n' })).toEqual([]);
    const inside = '30 20 0:1 /a /sys/fs/cgroup/none rw - cgroup cgroup rw,memory\n';
    expect(findHierarchies({ mounts: inside, own: '4:memory:/b\n' })).toEqual([]);
    expect(findHierarchies({ mounts: inside, own: '4:memory:/a/../..\n' })).toEqual([]);
  });
});
