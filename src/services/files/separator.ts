import type { Encoding } from '../../ports/files.js';
import { isWide } from './encoding.js';

/** The bytes that end a line, and fast ways to find them. */
export interface Separator {
  /** Bytes per unit. Blocks start and end between units. */
  readonly width: 1 | 2;
  countIn(block: Buffer): number;
  /** The index of the byte after the n-th separator (from 1), or -1. */
  afterNth(block: Buffer, n: number): number;
  /** The index of the next separator at or after that index, or -1. */
  next(block: Buffer, from: number): number;
  /** The index of the last separator that ends at or before that index, or -1. */
  previous(block: Buffer, before: number): number;
}

export function separatorFor(encoding: Encoding, isReturn: boolean): Separator {
  const unit = isReturn ? 13 : 10;
  const width = isWide(encoding) ? 2 : 1;
  const bytes = width === 1 ? [unit] : encoding === 'utf-16le' ? [unit, 0] : [0, unit];
  const pattern = Buffer.from(bytes);
  const next = (block: Buffer, from: number): number => {
    let at = block.indexOf(pattern, from);
    while (at !== -1 && at % width !== 0) at = block.indexOf(pattern, at + 1);
    return at;
  };
  const previous = (block: Buffer, before: number): number => {
    let at = before < width ? -1 : block.lastIndexOf(pattern, before - width);
    while (at > 0 && at % width !== 0) at = block.lastIndexOf(pattern, at - 1);
    return at % width === 0 ? at : -1;
  };
  return {
    width,
    next,
    previous,
    countIn: width === 1 ? (block) => countBytes(block, unit) : (block) => countWith(next, block, width),
    afterNth(block, n) {
      let at = -width;
      for (let found = 0; found < n; found += 1) {
        at = next(block, at + width);
        if (at === -1) return -1;
      }
      return at + width;
    },
  };
}

/** Four bytes at a time, so that the time does not depend on the number of hits. */
function countBytes(block: Buffer, byte: number): number {
  const lead = (4 - (block.byteOffset % 4)) % 4;
  if (block.length < lead) return block.filter((one) => one === byte).length;
  const words = new Int32Array(block.buffer, block.byteOffset + lead, (block.length - lead) >> 2);
  const wanted = byte * 0x01010101;
  let count = 0;
  for (let index = 0; index < words.length; index += 1) {
    const difference = (words[index] ?? 0) ^ wanted;
    // The high bit of each zero byte, that is, of each byte that matches.
    const hits = ~(((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference | 0x7f7f7f7f);
    if (hits !== 0) count += ((hits >>> 7) & 1) + ((hits >>> 15) & 1) + ((hits >>> 23) & 1) + (hits >>> 31);
  }
  for (let index = 0; index < lead; index += 1) if (block[index] === byte) count += 1;
  for (let index = lead + words.length * 4; index < block.length; index += 1)
    if (block[index] === byte) count += 1;
  return count;
}

function countWith(next: Separator['next'], block: Buffer, width: number): number {
  let count = 0;
  for (let at = next(block, 0); at !== -1; at = next(block, at + width)) count += 1;
  return count;
}
