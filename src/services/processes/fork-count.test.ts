import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readForkCount } from './fork-count.js';

const onLinux = describe.skipIf(process.platform !== 'linux');

onLinux('the count of processes', () => {
  it('grows with every process that is started, even in a new session', async () => {
    const grownBy = async (command: string): Promise<number> => {
      const before = readForkCount() ?? 0;
      const child = spawn('/bin/sh', ['-c', command], { stdio: 'ignore', detached: true });
      await new Promise((resolve) => child.once('exit', resolve));
      return (readForkCount() ?? 0) - before;
    };
    expect(await grownBy(':')).toBeGreaterThanOrEqual(1);
    // Other processes may start in the meantime, so use the minimum of several tries.
    const hidden: number[] = [];
    for (let at = 0; at < 5; at += 1)
      hidden.push(await grownBy('setsid -f sleep 0.1 </dev/null >/dev/null 2>&1; :'));
    expect(Math.min(...hidden)).toBeGreaterThanOrEqual(2);
  });

  it('is undefined if the file does not contain it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-forks-'));
    const file = join(folder, 'stat');
    const read = (text: string): number | undefined => {
      writeFileSync(file, text);
      return readForkCount(file);
    };
    expect(read('cpu 1\nintr 5 6\nctxt 7\nprocesses 42\nprocs_running 1\n')).toBe(42);
    for (const text of [
      '',
      'cpu 1\n',
      'cpu 1\nprocesses 4',
      'cpu 1\nprocesses \n',
      'cpu 1\nprocesses 0\n',
      'cpu 1\nprocesses x\n',
    ])
      expect(read(text)).toBeUndefined();
    expect(readForkCount(join(folder, 'none'))).toBeUndefined();
    rmSync(folder, { recursive: true });
  });
});
