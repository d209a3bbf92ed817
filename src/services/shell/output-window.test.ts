import { describe, expect, it } from 'vitest';
import { createOutputWindow, type Kept } from './output-window.js';

const kib = 1024;
const textOf = ({ head, tail }: Kept): string => Buffer.concat([head, tail]).toString();

describe('a window on output', () => {
  it('keeps short output whole, and starts over after it was read', () => {
    const window = createOutputWindow();
    window.push(Buffer.from('one '));
    window.push(Buffer.from('two'));
    const kept = window.take(true);
    expect([textOf(kept), kept.bytes]).toEqual(['one two', 7]);
    expect(window.take(true).bytes).toBe(0);
  });

  it('keeps everything up to the limit, in order, even in single bytes', () => {
    const window = createOutputWindow();
    const bytes = Buffer.from(Array.from({ length: 256 * kib }, (_none, index) => index % 251));
    for (const byte of bytes) window.push(Uint8Array.of(byte));
    const kept = window.take(true);
    expect(kept.bytes).toBe(256 * kib);
    expect(Buffer.concat([kept.head, kept.tail]).equals(bytes)).toBe(true);
  });

  it('keeps the beginning and the end of longer output, however it is split', () => {
    const all = Buffer.from(Array.from({ length: 1000 * kib }, (_none, index) => index % 253));
    for (const size of [1000 * kib, 65_536, 1_000, 333_333]) {
      const window = createOutputWindow();
      for (let at = 0; at < all.length; at += size) window.push(all.subarray(at, at + size));
      const kept = window.take(true);
      expect(kept.bytes).toBe(1000 * kib);
      expect(Buffer.from(kept.head).equals(all.subarray(0, 128 * kib))).toBe(true);
      expect(Buffer.from(kept.tail).equals(all.subarray(-128 * kib))).toBe(true);
    }
  });

  it('keeps an incomplete character for the next read, unless it is the last', () => {
    const window = createOutputWindow();
    const [euro] = [Buffer.from('€')];
    window.push(Buffer.concat([Buffer.from('a'), euro.subarray(0, 2)]));
    expect(textOf(window.take(false))).toBe('a');
    window.push(euro.subarray(2));
    expect(textOf(window.take(false))).toBe('€');
    window.push(euro.subarray(0, 2));
    expect(window.take(true).bytes).toBe(2);
  });

  it('knows its last bytes before and after the middle is dropped', () => {
    const window = createOutputWindow();
    window.push(Buffer.from('abc'));
    expect(Buffer.from(window.last(2)).toString()).toBe('bc');
    window.push(Buffer.alloc(128 * kib - 3, 'x'));
    window.push(Buffer.from('yz'));
    expect(Buffer.from(window.last(4)).toString()).toBe('xxyz');
    window.push(Buffer.alloc(500 * kib, 'w'));
    expect(Buffer.from(window.last(3)).toString()).toBe('www');
  });
});
