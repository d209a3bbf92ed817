import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** The process's own ends, in a form that never blocks: Node writes to pipes synchronously otherwise. */
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

/** The wire is ours alone: what tools of a workspace print goes to stderr and breaks no message. */
function keepOthersOut(): void {
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr });
}
