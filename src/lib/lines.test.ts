import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count } from '../../test/support/counts.js';
import { createLineReader, decodeUtf8, type Line } from './lines.js';

const limit = 64;
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

/** Reads a stream that arrives in these pieces. */
function readAll(chunks: readonly Uint8Array[], max = limit): Line[] {
  const reader = createLineReader(max);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

const line = (text: string): Line => ({ kind: 'line', text });
const oversize: Line = { kind: 'unreadable', reason: 'oversize' };
const encoding: Line = { kind: 'unreadable', reason: 'encoding' };

/** Every kind of line that a client may send, good and bad. */
const stream = Buffer.concat([
  bytes('{"a":1}\n'),
  bytes('\n  \t\r\n'),
  bytes('{"é":"😀 ü"}\r\n'),
  Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]),
  bytes(`${'x'.repeat(limit)}\n`),
  bytes(`${'y'.repeat(limit + 1)}\n`),
  bytes('after\n'),
  Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes('{}\n')]),
  bytes('inner\rreturn\n'),
  bytes(`${'z'.repeat(3 * limit)}\n`),
  bytes('€ last'),
]);

const wanted: readonly Line[] = [
  line('{"a":1}'),
  line('{"é":"😀 ü"}'),
  encoding,
  line('x'.repeat(limit)),
  oversize,
  line('after'),
  line('\ufeff{}'),
  line('inner\rreturn'),
  oversize,
  line('€ last'),
];

describe('the line reader', () => {
  it('reads a stream that arrives in one piece', () => {
    expect(readAll([stream])).toEqual(wanted);
  });

  it('returns the same lines wherever the stream is cut, even within a character', () => {
    for (let cut = 0; cut <= stream.length; cut += 1) {
      expect(readAll([stream.subarray(0, cut), stream.subarray(cut)])).toEqual(wanted);
    }
  });

  it('returns the same lines if every byte arrives alone', () => {
    expect(readAll([...stream].map((byte) => Uint8Array.of(byte)))).toEqual(wanted);
  });

  it('returns the same lines for any number of cuts', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: stream.length }), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
        const chunks = at.slice(1).map((end, i) => stream.subarray(at[i], end));
        expect(readAll(chunks)).toEqual(wanted);
      }),
      { numRuns: count(5_000) },
    );
  });

  it('reports a line over the limit once, and reads the next one', () => {
    const reader = createLineReader(limit);
    const found = Array.from({ length: 100 }, () => reader.push(Buffer.alloc(limit, 0x61))).flat();
    expect(found).toEqual([oversize]);
    expect(reader.push(bytes('tail of it\n{"b":2}\n'))).toEqual([line('{"b":2}')]);
    expect(reader.end()).toEqual([]);
  });

  it('uses bounded memory while a line of many tiny chunks grows', () => {
    const max = 1 << 19;
    const chunk = Uint8Array.of(0x61);
    const reader = createLineReader(max);
    const kept: Uint8Array[] = [];
    const growth = (push: () => void): number => {
      const before = process.memoryUsage();
      for (let sent = 0; sent < max; sent += 1) push();
      const after = process.memoryUsage();
      return after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    };
    const held = growth(() => void reader.push(chunk));
    // The control: a reader that keeps its chunks as they come.
    expect(growth(() => void kept.push(chunk.subarray(0)))).toBeGreaterThan(64 * max);
    expect(held).toBeLessThan(64 * max);
    expect(reader.push(bytes('\n'))).toEqual([line('a'.repeat(max))]);
  });

  it('does not keep the chunks it is given', () => {
    const reader = createLineReader(limit);
    const chunk = bytes('{"half":');
    reader.push(chunk);
    chunk.fill(0x20);
    expect(reader.push(bytes('1}\n'))).toEqual([line('{"half":1}')]);
  });

  it('treats only JSON whitespace as blank', () => {
    expect(readAll([bytes('\u00a0\n\ufeff\n \t \n')])).toEqual([line('\u00a0'), line('\ufeff')]);
  });

  it('refuses every malformed UTF-8 sequence instead of replacing it', () => {
    const malformed = [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
      [0x80],
    ];
    for (const sequence of malformed) {
      expect(readAll([Buffer.from([0x22, ...sequence, 0x22, 0x0a])])).toEqual([encoding]);
      expect(decodeUtf8(Uint8Array.from(sequence))).toBeUndefined();
    }
    // The control: a decoder that replaces hears something that nobody said.
    expect(new TextDecoder().decode(Uint8Array.of(0xff))).toBe('\ufffd');
  });

  it('returns nothing at the end of a stream that ended with a line or was discarded', () => {
    expect(readAll([bytes('a\n')])).toEqual([line('a')]);
    expect(readAll([])).toEqual([]);
    expect(readAll([Buffer.alloc(limit + 1, 0x61)])).toEqual([oversize]);
  });
});
