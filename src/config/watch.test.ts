import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ConfigWatch, watchConfig } from './watch.js';

const root = mkdtempSync(join(tmpdir(), 'tidegate-watch-'));
afterAll(() => rmSync(root, { recursive: true }));

let file = '';
let count = 0;
let watched: ConfigWatch | undefined;
beforeEach(() => {
  count += 1;
  mkdirSync(join(root, String(count)));
  file = join(root, String(count), 'tidegate.yaml');
  writeFileSync(file, 'a');
});
afterEach(() => watched?.close());

const onlyEvents = { settle: 20, poll: 60_000 };

/** Watches, and gives what tells how often and when a change was noticed. */
function open(path: string, times: { settle: number; poll: number }) {
  const noticed = vi.fn();
  watched = watchConfig(path, noticed, times);
  return {
    noticed,
    times: (n: number) =>
      vi.waitFor(() => expect(noticed).toHaveBeenCalledTimes(n), { timeout: 5_000, interval: 5 }),
  };
}

describe('watching a configuration file', () => {
  it('notices a write', async () => {
    const { times } = open(file, onlyEvents);
    writeFileSync(file, 'b');
    await times(1);
    writeFileSync(file, 'bc');
    await times(2);
  });

  it('notices another file renamed to its path, more than once', async () => {
    const { times } = open(file, onlyEvents);
    for (const n of [1, 2, 3]) {
      writeFileSync(`${file}.new`, 'a');
      renameSync(`${file}.new`, file);
      await times(n);
    }
  });

  it('notices a delete followed by a write, as one change', async () => {
    const { noticed, times } = open(file, { settle: 100, poll: 60_000 });
    renameSync(file, `${file}~`);
    writeFileSync(file, 'c');
    await times(1);
    expect(noticed).toHaveBeenCalledTimes(1);
  });

  it('notices that it was deleted, and that it is back', async () => {
    const { times } = open(file, onlyEvents);
    rmSync(file);
    await times(1);
    writeFileSync(file, 'again');
    await times(2);
  });

  it('reports many quick writes as one change', async () => {
    const { noticed, times } = open(file, { settle: 100, poll: 60_000 });
    for (let i = 0; i < 20; i += 1) writeFileSync(file, 'x'.repeat(i));
    await times(1);
    expect(noticed).toHaveBeenCalledTimes(1);
  });

  it('ignores other files, and reports nothing if nothing changed', async () => {
    const { noticed, times } = open(file, onlyEvents);
    writeFileSync(join(root, String(count), 'other.yaml'), 'x');
    writeFileSync(file, 'b');
    await times(1);
    expect(noticed).toHaveBeenCalledTimes(1);
  });

  it('notices by polling what sends no event: a link target in another directory', async () => {
    const link = join(root, `link-${count}`, 'tidegate.yaml');
    mkdirSync(join(root, `link-${count}`));
    symlinkSync(file, link);
    const { times } = open(link, { settle: 5, poll: 30 });
    writeFileSync(file, 'changed');
    await times(1);
  });

  it('polls if there is nothing to watch yet', async () => {
    const late = join(root, `late-${count}`, 'tidegate.yaml');
    const { times } = open(late, { settle: 5, poll: 30 });
    mkdirSync(join(root, `late-${count}`));
    writeFileSync(late, 'x');
    await times(1);
  });

  it('notices a change that keeps size and modification time', async () => {
    const before = new Date(1_000_000);
    utimesSync(file, before, before);
    const { times } = open(file, onlyEvents);
    writeFileSync(file, 'b');
    utimesSync(file, before, before);
    await times(1);
  });

  it('stops when closed, even if a change is pending', () => {
    vi.useFakeTimers();
    try {
      const { noticed } = open(file, { settle: 10, poll: 20 });
      writeFileSync(file, 'b');
      vi.advanceTimersByTime(25);
      watched?.close();
      vi.advanceTimersByTime(1_000);
      expect(noticed).not.toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
