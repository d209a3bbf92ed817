import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const largeBytes = 64 * 1024 * 1024;
const lookedAt = 4096;

/**
 * Whether a file is large and not text. ripgrep skips such files in folders, but searches one that is named
 * (such as a sparse file of many gigabytes) to its end.
 */
export function isLargeBinary(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    if (fstatSync(fd).size < largeBytes) return false;
    const start = Buffer.alloc(lookedAt);
    const read = start.subarray(0, readSync(fd, start, 0, lookedAt, 0));
    const isUtf16 = read[0] === 0xff ? read[1] === 0xfe : read[0] === 0xfe && read[1] === 0xff;
    return read.includes(0) && !isUtf16;
  } finally {
    closeSync(fd);
  }
}
