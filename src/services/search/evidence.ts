import { type InsideFile, readAt } from './inside.js';
import type { Item } from './text-items.js';

const newline = 10;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Whether the file that we opened ourselves has that very line at that place. Then it is true of a file inside,
 * whichever file ripgrep may have been led to. False also where that cannot be told in this simple way.
 */
export function isProven(file: InsideFile, item: Item): boolean {
  // The match may be in the part that was cut off; a count and a binary file show nothing that could be compared.
  if (item.kind !== 'line' || item.isCut) return false;
  if (hasLine(file, item.text, item.offset)) return true;
  // ripgrep does not count a byte order mark.
  return (
    hasLine(file, item.text, item.offset + byteOrderMark.length) &&
    readAt(file.fd, 0, byteOrderMark.length).equals(byteOrderMark)
  );
}

/** The whole line: what stands before it is a line end or nothing, and so is what stands after it. */
function hasLine(file: InsideFile, text: Buffer, offset: number): boolean {
  const before = offset === 0 ? 0 : 1;
  const bytes = readAt(file.fd, offset - before, before + text.length + 1);
  if (before === 1 && bytes[0] !== newline && offset !== byteOrderMark.length) return false;
  if (!bytes.subarray(before, before + text.length).equals(text)) return false;
  const after = bytes[before + text.length];
  return after === undefined || after === newline;
}
