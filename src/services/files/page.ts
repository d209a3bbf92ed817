import type { Encoding, TextLine } from '../../ports/files.js';
import { decodeBytes, withoutHalf } from './encoding.js';
import { passLines, passLinesBack, patience, type Scan } from './find-line.js';

export interface PageWindow {
  /** Starts at 1; negative counts from the end. */
  readonly offset: number;
  readonly limit: number;
}

export interface Page {
  readonly lines: readonly TextLine[];
  readonly totalLines?: number;
  readonly nextOffset?: number;
  readonly notes: readonly string[];
}

export interface TextScan extends Scan {
  readonly encoding: Encoding;
}

const blockSize = 256 * 1024;
const maxLineLength = 2_000;
/** The size of one answer, below the limit at which callers truncate it. */
const maxPageLength = 64 * 1024;
/** How many bytes to read only to count lines. */
const maxCounted = 16 * 1024 * 1024;

/** Reads only the lines of a window, forward from the start or backward from the end. */
export async function readPage(scan: TextScan, { offset, limit }: PageWindow): Promise<Page> {
  const begin = offset < 0 ? await fromEnd(scan, -offset) : await fromStart(scan, Math.max(1, offset));
  const { lines, position, isEnd } = await readLines(scan, begin, limit);
  const last = lines.at(-1)?.number ?? begin.number - 1;
  const total = begin.number < 0 ? undefined : isEnd ? last : await countRest(scan, position, last);
  return {
    lines,
    ...(total !== undefined && { totalLines: total }),
    ...(!isEnd && last !== -1 && { nextOffset: last + 1 }),
    notes: [...begin.notes, ...notesOn(lines, total)],
  };
}

interface Begin {
  readonly position: number;
  readonly number: number;
  readonly notes: readonly string[];
}

async function fromStart(scan: TextScan, offset: number): Promise<Begin> {
  const { position, passed, isEnd } = await passLines(scan, offset - 1, { from: scan.start });
  const isEndless = !isEnd && passed < offset - 1;
  const notes = isEndless ? ['The file is longer than its reported size and was not read further.'] : [];
  return { position, number: passed + 1, notes };
}

async function fromEnd(scan: TextScan, lines: number): Promise<Begin> {
  const { position, lines: found } = await passLinesBack(scan, lines);
  if (position - scan.start > patience) {
    const notes = ['The file is large: its lines are numbered from the end, -1 being the last.'];
    return { position, number: -found, notes };
  }
  const { passed } = await passLines(scan, Number.POSITIVE_INFINITY, { from: scan.start, until: position });
  return { position, number: passed + 1, notes: [] };
}

async function countRest(scan: TextScan, from: number, last: number): Promise<number | undefined> {
  if (scan.source.size - from > maxCounted) return undefined;
  const { passed, isEnd } = await passLines(scan, Number.POSITIVE_INFINITY, { from });
  return isEnd ? last + passed : undefined;
}

function notesOn(lines: readonly TextLine[], total: number | undefined): readonly string[] {
  if (lines.some(({ isCut }) => isCut)) return [`Lines longer than ${maxLineLength} characters are cut.`];
  if (lines.length > 0) return [];
  return [
    total === 0 ? 'The file is empty.' : `There are no such lines: the file has ${total ?? 'fewer'} lines.`,
  ];
}

interface LinesRead {
  readonly lines: readonly TextLine[];
  /** Where the next line starts. */
  readonly position: number;
  readonly isEnd: boolean;
}

async function readLines(
  scan: TextScan,
  { position: from, number }: Begin,
  limit: number,
): Promise<LinesRead> {
  const readLine = createLineReader(scan);
  const lines: TextLine[] = [];
  let position = from;
  for (let length = 0; lines.length < limit && length < maxPageLength; ) {
    const line = await readLine(position);
    if (line === undefined) return { lines, position, isEnd: true };
    const { text, isCut, next } = line;
    if (lines.length > 0 && length + text.length > maxPageLength) break;
    lines.push({ number: number + lines.length, text, ...(isCut && { isCut }) });
    length += text.length + 1;
    if (next === undefined) return { lines, position, isEnd: false };
    position = next;
  }
  return { lines, position, isEnd: (await readLine(position)) === undefined };
}

interface RawLine {
  readonly text: string;
  readonly isCut: boolean;
  /** Absent if the line has no end within the limit. */
  readonly next?: number;
}

/** Returns the line at a position; undefined at the end. Reads one block for as many lines as it holds. */
function createLineReader(scan: TextScan): (position: number) => Promise<RawLine | undefined> {
  const { source, separator } = scan;
  let begin = 0;
  let block: Buffer = Buffer.alloc(0);
  const load = async (position: number): Promise<void> => {
    begin = position;
    block = await source.read(position, blockSize);
  };
  return async (position) => {
    if (position < begin || position >= begin + block.length) await load(position);
    let end = separator.next(block, position - begin);
    if (end === -1 && position > begin && block.length === blockSize) {
      await load(position);
      end = separator.next(block, 0);
    }
    const at = position - begin;
    if (at >= block.length) return undefined;
    if (end !== -1)
      return { ...textOf(block.subarray(at, end), scan, true), next: begin + end + separator.width };
    const line = textOf(block.subarray(at), scan, false);
    if (block.length < blockSize) return { ...line, next: begin + block.length };
    return { ...line, ...(await endOfLongLine(scan, begin + block.length)) };
  };
}

async function endOfLongLine(scan: TextScan, from: number): Promise<{ readonly next?: number }> {
  const { position, isEnd, passed } = await passLines(scan, 1, { from, until: from + patience });
  return isEnd || passed === 1 ? { next: position } : {};
}

function textOf(
  bytes: Buffer,
  { encoding, separator }: TextScan,
  hasEnding: boolean,
): Pick<RawLine, 'text' | 'isCut'> {
  const most = maxLineLength * 4;
  const isLong = bytes.length > most;
  const head = isLong ? bytes.subarray(0, most) : bytes;
  const text = decodeBytes(isLong && separator.width === 1 ? withoutHalf(head) : head, encoding);
  if (isLong || text.length > maxLineLength)
    return { text: text.slice(0, maxLineLength).replace(/[\uD800-\uDBFF]$/, ''), isCut: true };
  return { text: hasEnding && text.endsWith('\r') ? text.slice(0, -1) : text, isCut: false };
}
