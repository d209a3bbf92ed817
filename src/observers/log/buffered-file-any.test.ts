import type { write } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openBufferedFile } from './buffered-file.js';

type Written = (error: Error | null, count: number) => void;

/** A disk that randomly accepts part of a write, or nothing for now. */
const disk = vi.hoisted(() => ({ text: '', random: (): number => 0 }));
vi.mock('node:fs', async (original) => ({
  ...(await original<Readonly<Record<string, unknown>>>()),
  write: ((_: number, buffer: Buffer, done: Written) => {
    const answer = (): void => {
      if (disk.random() < 0.01) return done(Object.assign(new Error('full'), { code: 'EAGAIN' }), 0);
      const count = 1 + Math.floor(disk.random() * buffer.length);
      disk.text += buffer.subarray(0, count).toString('latin1');
      done(null, count);
    };
    if (disk.random() < 0.5) setImmediate(answer);
    else setTimeout(answer, Math.floor(disk.random() * 4));
  }) as unknown as typeof write,
}));

const buffering = { minBytes: 60, flushMs: 3, maxBytes: 300, tailBytes: 80, closeMs: 20_000 };
const lengths = [5, 5, 5, 20, 70, 100, 299, 300, 301, 302, 2000];

afterEach(() => {
  disk.text = '';
});

describe('openBufferedFile, for lines of any length and a disk of any speed', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
    'keeps its guarantees (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      disk.random = random;
      const file = openBufferedFile(1, (count) => `lost ${String(count)}\n`, buffering);
      const came: string[] = [];
      for (let n = 0; n < 150; n += 1) {
        came.push(lineOf(n, lengths[Math.floor(random() * lengths.length)] ?? 0));
        file.write(came.at(-1) ?? '');
        if (random() < 0.1) await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 6)));
      }
      came.push(lineOf(150, 1 + Math.floor(random() * buffering.maxBytes)));
      file.write(came.at(-1) ?? '');
      await file.close();
      expectPromises(came, disk.text);
    },
  );
});

/** Whole lines in order, including the last one; every other line is counted as lost. */
function expectPromises(came: readonly string[], text: string): void {
  const lines = text.split(/(?<=\n)/);
  const written = lines.filter((line) => !line.startsWith('lost '));
  const counts = lines.filter((line) => line.startsWith('lost ')).map((line) => Number(line.slice(5)));
  let at = -1;
  for (const line of written) {
    const next = came.indexOf(line, at + 1);
    expect(next, `not a line, or not in its place: ${line.slice(0, 40)}`).toBeGreaterThan(at);
    at = next;
  }
  expect(written.at(-1)).toBe(came.at(-1));
  expect(written.length + counts.reduce((sum, count) => sum + count, 0)).toBe(came.length);
}

/** A unique line of this length. */
function lineOf(n: number, length: number): string {
  return `${String(n).padEnd(Math.max(4, length - 1), 'x')}\n`;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
