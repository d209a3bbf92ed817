import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScratch } from './scratch.js';

function opened(stateDir: string) {
  const scratch = openScratch(stateDir);
  const temporaryOf = (id: string, isBusy?: (id: string) => boolean) =>
    scratch.temporaryOf(id, isBusy) ?? 'none';
  return { ...scratch, temporaryOf };
}

describe('the temporary folder of the gateway for commands', () => {
  let stateDir: string;
  const left = () => (existsSync(join(stateDir, 'shell')) ? readdirSync(join(stateDir, 'shell')) : []);

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tidegate-scratch-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

  it('gives each session a separate folder, and removes all of them at the end', async () => {
    const scratch = opened(stateDir);
    expect(left()).toEqual([]);
    const [one, two] = [scratch.temporaryOf('one'), scratch.temporaryOf('two')];
    expect(scratch.temporaryOf('one')).toBe(one);
    expect(two).not.toBe(one);
    expect(statSync(one).mode & 0o777).toBe(0o700);
    writeFileSync(join(one, 'file'), 'x');
    await scratch.close();
    expect(left()).toEqual([]);
  });

  it('removes the folder of a session that ended', async () => {
    const scratch = opened(stateDir);
    const [one, two] = [scratch.temporaryOf('one'), scratch.temporaryOf('two')];
    await scratch.forget('one');
    await scratch.forget('never seen');
    expect([existsSync(one), existsSync(two)]).toEqual([false, true]);
    await scratch.close();
  });

  it('removes the least recently used folder if there are many', async () => {
    const scratch = opened(stateDir);
    const first = scratch.temporaryOf('first');
    const second = scratch.temporaryOf('second');
    for (let count = 0; count < 254; count += 1) scratch.temporaryOf(`more ${count}`);
    scratch.temporaryOf('first');
    scratch.temporaryOf('one too many');
    await scratch.close();
    expect([first, second].every((folder) => !existsSync(folder))).toBe(true);
  });

  it('[15.3] keeps the folder of a session whose command is still running', async () => {
    const scratch = opened(stateDir);
    const all = Array.from({ length: 256 }, (_, index) => `session ${index}`);
    const [first = '', second = ''] = all.map((id) => scratch.temporaryOf(id));
    expect(scratch.temporaryOf('one more', (id) => id === 'session 0')).not.toBe('none');
    expect(scratch.temporaryOf('another', () => true)).toBe('none');
    await expect.poll(() => existsSync(second)).toBe(false);
    expect(existsSync(first)).toBe(true);
    await scratch.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'removes what a dead gateway left, and nothing of a running one',
    async () => {
      const living = opened(stateDir);
      const kept = living.temporaryOf('session');
      const [own = ''] = left();
      const dead = spawnSync(process.execPath, ['-e', '']).pid;
      const gone = join(stateDir, 'shell', own.replace(/^\d+-/, `${dead}-`));
      const reused = join(stateDir, 'shell', own.replace(/^(\d+)-\d+-/, '$1-1-'));
      const placeholder = join(stateDir, '.claude');
      for (const folder of [gone, reused]) mkdirSync(join(folder, 'tmp-1'), { recursive: true });
      mkdirSync(placeholder);
      writeFileSync(join(gone, 'folders.jsonl'), JSON.stringify(placeholder));
      const next = opened(stateDir);
      next.temporaryOf('session');
      await next.close();
      expect([gone, reused, placeholder, kept].map((path) => existsSync(path))).toEqual([
        false,
        false,
        false,
        true,
      ]);
      await living.close();
    },
  );

  it.skipIf(process.platform !== 'linux')('keeps those of another machine for a week', async () => {
    const all = join(stateDir, 'shell');
    const [fresh, stale] = [join(all, '99-1-elsewhere.1-abc'), join(all, '98-1-elsewhere.1-abc')];
    for (const folder of [fresh, stale]) mkdirSync(folder, { recursive: true });
    const longAgo = Date.now() / 1000 - 8 * 24 * 3600;
    utimesSync(stale, longAgo, longAgo);
    const scratch = opened(stateDir);
    expect(dirname(dirname(scratch.temporaryOf('s')))).toContain('shell');
    await scratch.close();
    expect([existsSync(fresh), existsSync(stale)]).toEqual([true, false]);
  });
});
