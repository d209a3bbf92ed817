import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const usualMost = 10 * 1024 * 1024;

/** Reads a whole file. Refuses everything but regular files: reading a named pipe would block. */
export function readRegular(file: string, most = usualMost): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw new Error('it is not a regular file');
    const bytes = Buffer.alloc(Math.min(facts.size, most) + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (length > most) throw new Error(`it is larger than ${String(most / 1024 / 1024)} MiB`);
    // The file grew while it was read.
    if (length === bytes.length) throw new Error('it is being written');
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
