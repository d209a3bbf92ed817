import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openBufferedFile } from './buffered-file.js';

const lost = (count: number): string => `lost ${String(count)}\n`;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('openBufferedFile', () => {
  it('writes nothing until the buffer is large enough, and everything at close', async () => {
    const { path, fd } = tempFile();
    const file = openBufferedFile(fd, lost, {
      minBytes: 100,
      flushMs: 60_000,
      maxBytes: 1000,
      tailBytes: 0,
      closeMs: 1000,
    });
    file.write('short\n');
    expect(readFileSync(path, 'utf8')).toBe('');
    file.write('rest\n');
    await file.close();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('short\nrest\n');
  });

  it('writes each line once when flushed in the middle of a write', async () => {
    const { path, fd } = tempFile();
    const file = openBufferedFile(fd, lost, {
      minBytes: 10,
      flushMs: 60_000,
      maxBytes: 1000,
      tailBytes: 0,
      closeMs: 1000,
    });
    file.write('first line\n');
    file.write('second\n');
    file.flushSync();
    await file.close();
    closeSync(fd);
    expect(readFileSync(path, 'utf8').split('\n').sort()).toEqual(['', 'first line', 'second']);
  });

  it('drops lines, reports how many, and closes when the reader does not read', async () => {
    const fd = pipeTo('sleep', '30');
    const file = openBufferedFile(fd, lost, {
      minBytes: 10,
      flushMs: 10,
      maxBytes: 4_000_000,
      tailBytes: 0,
      closeMs: 50,
    });
    for (let i = 0; i < 100; i += 1) file.write('x'.repeat(100_000));
    const started = performance.now();
    file.flushSync();
    await file.close();
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('closes when the reader is gone', async () => {
    const fd = pipeTo('true');
    await new Promise((resolve) => children[0]?.on('exit', resolve));
    const file = openBufferedFile(fd, lost);
    file.write('nobody reads this\n');
    file.flushSync();
    await file.close();
  });

  it('reports dropped lines as soon as it can write again', async () => {
    const { path, fd } = tempFile();
    const file = openBufferedFile(fd, lost, {
      minBytes: 1000,
      flushMs: 60_000,
      maxBytes: 20,
      tailBytes: 0,
      closeMs: 1000,
    });
    for (let i = 0; i < 5; i += 1) file.write('eight by\n');
    await file.close();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('eight by\neight by\nlost 3\n');
  });

  it('keeps the first and the last lines of a flood, in order', async () => {
    const { path, fd } = tempFile();
    const buffering = { minBytes: 1000, flushMs: 60_000, maxBytes: 20, tailBytes: 10, closeMs: 1000 };
    const file = openBufferedFile(fd, lost, buffering);
    for (let i = 0; i < 9; i += 1) file.write(`line ${String(i)}\n`);
    file.write('end\n');
    await file.close();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('line 0\nline 1\nlost 7\nend\n');
  });

  it('continues after a line that is longer than the buffer', async () => {
    const { path, fd } = tempFile();
    const buffering = { minBytes: 1000, flushMs: 60_000, maxBytes: 40, tailBytes: 10, closeMs: 1000 };
    const file = openBufferedFile(fd, lost, buffering);
    file.write(`${'x'.repeat(50)}\n`);
    for (let i = 0; i < 3; i += 1) file.write(`line ${String(i)}\n`);
    await file.close();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('lost 1\nline 0\nline 1\nline 2\n');
  });

  it('reports a line that is too long even if no line follows', async () => {
    const { path, fd } = tempFile();
    const file = openBufferedFile(fd, lost);
    file.write(`${'x'.repeat(1_100_000)}\n`);
    await file.close();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('lost 1\n');
  });

  it('keeps the last line of a flood even if it is longer than the tail', async () => {
    const { path, fd } = tempFile();
    const buffering = { minBytes: 1000, flushMs: 60_000, maxBytes: 20, tailBytes: 5, closeMs: 1000 };
    const file = openBufferedFile(fd, lost, buffering);
    for (let i = 0; i < 9; i += 1) file.write(`line ${String(i)}\n`);
    file.write('the very end\n');
    await file.close();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('line 0\nline 1\nlost 7\nthe very end\n');
  });

  it('stays within its memory limit while the reader does not read', async () => {
    const fd = pipeTo('sleep', '30');
    const file = openBufferedFile(fd, lost, {
      minBytes: 10,
      flushMs: 10,
      maxBytes: 1000,
      tailBytes: 1000,
      closeMs: 50,
    });
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 2_000_000; i += 1) file.write(`${'x'.repeat(90)}${String(i)}\n`);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    await file.close();
  });
});

function tempFile(): { readonly path: string; readonly fd: number } {
  const path = join(mkdtempSync(join(tmpdir(), 'tidegate-log-')), 'log');
  return { path, fd: openSync(path, 'a') };
}

/** The file descriptor of a pipe into a process. */
function pipeTo(command: string, ...args: string[]): number {
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.on('error', () => undefined);
  children.push(child);
  const handle: unknown = Reflect.get(child.stdin, '_handle');
  if (typeof handle === 'object' && handle !== null && 'fd' in handle && typeof handle.fd === 'number')
    return handle.fd;
  throw new Error('the pipe has no descriptor');
}
