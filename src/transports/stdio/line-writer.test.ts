import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openLineWriter } from './line-writer.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the line writer', () => {
  it('writes lines of one tick in one go', async () => {
    const chunks: string[] = [];
    const writer = openLineWriter(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk.toString());
          done();
        },
      }),
    );
    writer.write('a');
    writer.write('b');
    expect(chunks).toEqual([]);
    await tick();
    writer.write('c');
    writer.flush();
    await tick();
    expect(chunks).toEqual(['a\nb\n', 'c\n']);
  });

  it('reports when it is full, and when it has room again', async () => {
    const finish: (() => void)[] = [];
    const writer = openLineWriter(
      new Writable({
        write: (_chunk, _encoding, done) => void finish.push(done),
      }),
    );
    let drained = 0;
    writer.onDrain(() => {
      drained += 1;
    });
    writer.write('x'.repeat(5 * 1024 * 1024));
    expect(writer.isFull()).toBe(true);
    await tick();
    expect({ isFull: writer.isFull(), drained }).toEqual({ isFull: true, drained: 0 });
    finish.shift()?.();
    await tick();
    expect({ isFull: writer.isFull(), pending: writer.pending(), drained }).toEqual({
      isFull: false,
      pending: 0,
      drained: 1,
    });
  });

  it('also reports it when the stream takes everything at once', async () => {
    const writer = openLineWriter(new PassThrough({ highWaterMark: 64 * 1024 * 1024 }));
    let drained = 0;
    writer.onDrain(() => {
      drained += 1;
    });
    writer.write('x'.repeat(5 * 1024 * 1024));
    expect(writer.isFull()).toBe(true);
    await tick();
    expect(drained).toBe(1);
  });

  it.each(['error', 'close'] as const)(
    'is broken after %s, and then neither full nor writing',
    async (event) => {
      const output = new PassThrough();
      const writer = openLineWriter(output);
      let broken = 0;
      writer.onBroken(() => {
        broken += 1;
      });
      writer.write('x'.repeat(5 * 1024 * 1024));
      output.destroy(event === 'error' ? new Error('EPIPE') : undefined);
      await tick();
      writer.write('more');
      writer.flush();
      expect({ isBroken: writer.isBroken(), isFull: writer.isFull(), pending: writer.pending() }).toEqual({
        isBroken: true,
        isFull: false,
        pending: 0,
      });
      expect(broken).toBeGreaterThan(0);
    },
  );
});
