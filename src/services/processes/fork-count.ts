/** How many processes and threads Linux has started since boot; undefined on other systems. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Fits the counters of some hundred processors that come first. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);
const line = '\nprocesses ';

/**
 * If it grew by one over the life of a child, the child has no descendants: the kernel counts every fork in
 * every session and namespace, and no failed ones.
 */
export function readForkCount(file = '/proc/stat'): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const text = readStart(file);
  const at = text.indexOf(line);
  const end = text.indexOf('\n', at + line.length);
  if (at < 0 || end < 0) return undefined;
  const count = Number(text.slice(at + line.length, end));
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

function readStart(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A hardened /proc: every process has to be checked instead.
    return '';
  }
}
