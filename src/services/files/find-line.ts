import type { Separator } from './separator.js';
import type { Source } from './source.js';

const blockSize = 1024 * 1024;
/** A page from the end usually fits in this. Must be even, for UTF-16. */
const firstBlock = 64 * 1024;
/** How far to read beyond the reported size, because some files never end. */
export const patience = 64 * 1024 * 1024;

export interface LinePlace {
  readonly position: number;
  /** Number of lines passed. */
  readonly passed: number;
  /** True at the end of the file. */
  readonly isEnd: boolean;
}

export interface Scan {
  readonly source: Source;
  readonly separator: Separator;
  /** Where the text begins, after the byte order mark. */
  readonly start: number;
}

export interface Stretch {
  readonly from: number;
  /** Absent: to the end of the file, at most `patience` beyond its reported size. */
  readonly until?: number;
}

/** Moves forward over this many lines, or to the end. A last line without an ending counts as one. */
export async function passLines(scan: Scan, lines: number, { from, until }: Stretch): Promise<LinePlace> {
  const { source, separator } = scan;
  const limit = until ?? source.size + patience;
  let position = from;
  let passed = 0;
  let isInLine = false;
  while (passed < lines && position < limit) {
    const block = await source.read(position, Math.min(blockSize, limit - position));
    if (block.length === 0) return { position, passed: passed + (isInLine ? 1 : 0), isEnd: true };
    const count = separator.countIn(block);
    if (passed + count >= lines) {
      return { position: position + separator.afterNth(block, lines - passed), passed: lines, isEnd: false };
    }
    passed += count;
    position += block.length;
    isInLine = separator.previous(block, block.length) !== block.length - separator.width;
  }
  return { position, passed, isEnd: false };
}

export interface BackPlace {
  readonly position: number;
  /** Number of lines from here to the end. */
  readonly lines: number;
}

/** Moves backward from the end over this many lines, or over about `patience` bytes. */
export async function passLinesBack({ source, separator, start }: Scan, lines: number): Promise<BackPlace> {
  const { width } = separator;
  let end = source.size - ((source.size - start) % width);
  const stopAt = Math.max(start, end - patience);
  let passed = 0;
  let found: BackPlace | undefined;
  // The ending of the last line does not start another line.
  let surplus = 0;
  let size = firstBlock;
  for (let isFirst = true; end > stopAt; isFirst = false) {
    const length = Math.min(size, end - start);
    size = blockSize;
    const block = await source.read(end - length, length);
    if (isFirst && separator.previous(block, block.length) === block.length - width) surplus = 1;
    const count = separator.countIn(block);
    const wanted = lines + surplus - passed;
    if (count >= wanted)
      return { position: end - length + separator.afterNth(block, count - wanted + 1), lines };
    passed += count;
    if (count > surplus)
      found = { position: end - length + separator.afterNth(block, 1), lines: passed - surplus };
    end -= length;
  }
  if (end <= start) return { position: start, lines: passed + 1 - surplus };
  return found ?? { position: end, lines: 1 };
}
