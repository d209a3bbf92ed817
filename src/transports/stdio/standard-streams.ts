import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** The standard streams of the process, without blocking: Node otherwise writes to pipes synchronously. */
export function standardStreams(): { readonly input: Readable; readonly output: Writable } {
  return { input: process.stdin, output: openOutput() };
}

function openOutput(): Writable {
  const kind = fstatSync(1);
  const isPipe = kind.isFIFO() || kind.isSocket();
  if (!isPipe || process.platform === 'win32') return process.stdout;
  keepOthersOut();
  return new Socket({ fd: 1, readable: false, writable: true });
}

/** Redirects what workspace tools print to stderr, so that it cannot break a protocol message. */
function keepOthersOut(): void {
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr });
}
