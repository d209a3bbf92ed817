import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openDurableLines } from './durable-lines.js';
import { readJournal } from './journal.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-lines-'));
  folders.push(folder);
  return join(folder, 'lines');
}

describe('durable lines', () => {
  it('are readable by this user only, and never overwrite a file', () => {
    const file = newFile();
    openDurableLines(file, true).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(() => openDurableLines(file, true)).toThrow('EEXIST');
  });

  it('share one sync between concurrent callers', async () => {
    const file = newFile();
    const lines = openDurableLines(file, true);
    lines.add(1);
    const first = lines.synced();
    lines.add(2);
    const [second, third] = [lines.synced(), lines.synced()];
    // A sync that started before the second line was added does not cover it.
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    await Promise.all([first, second, third]);
    lines.add(3);
    await lines.synced();
    lines.close();
    expect(readFileSync(file, 'utf8')).toBe('1\n2\n3\n');
  });

  it('reject waiting callers on a disk error, but not later ones', async () => {
    const file = newFile();
    const lines = openDurableLines(file, true);
    lines.close();
    await expect(lines.synced()).rejects.toThrow('EBADF');
    await expect(lines.synced()).rejects.toThrow('EBADF');
  });

  it('are read without invalid records', () => {
    const file = newFile();
    const lines = openDurableLines(file, true);
    const texts = {
      name: 'n',
      file: 'f',
      sha256: '',
      cwd: '/',
      startedAt: '',
      version: '1',
      startedBy: 'user:a',
    };
    const head = { kind: 'run', id: 'x', ...texts, inputs: {}, withheld: [] };
    const end = { status: 'failed', at: '', ms: 1, exitCode: 1 };
    for (const value of [head, null, 7, [], { kind: 'end', end }]) lines.add(value);
    lines.close();
    expect(readJournal(file)).toMatchObject({ head: { id: 'x' }, end, steps: [], isBroken: false });
  });

  it('are reported as broken if a record does not match its kind', () => {
    const file = newFile();
    const lines = openDurableLines(file, true);
    lines.add({ kind: 'step', key: 'a', name: 'a' });
    lines.close();
    expect(readJournal(file)).toMatchObject({ head: undefined, steps: [], isBroken: true });
  });
});
