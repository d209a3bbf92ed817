import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';

/** A new file for this user alone, on the disk when it returns. */
export function writePrivate(path: string, bytes: Buffer): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
