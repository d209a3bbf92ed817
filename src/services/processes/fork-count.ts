/** How many processes and threads Linux has ever started. Everywhere else nobody knows. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Enough for the counters of some hundred processors that come before it. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);
const line = '\nprocesses ';

/**
 * Undefined where it is not told. When it grew by one over the life of a child, the child itself was that one, and
 * nobody descends from it: the system counts whoever forks, in whatever session or namespace, and counts no failure.
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
    // A hardened /proc: then every process has to be looked at.
    return '';
  }
}
