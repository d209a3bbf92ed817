import type { IncomingMessage } from 'node:http';

const mostBytes = 64 * 1024;
const longestMs = 5000;

/** Reads the rest of an unneeded response, to keep the connection open; closes it if the rest is too long. */
export function discard(response: IncomingMessage): void {
  let left = mostBytes;
  const timer = setTimeout(() => response.destroy(), longestMs);
  timer.unref();
  response.on('data', (part: Buffer) => {
    left -= part.length;
    if (left < 0) response.destroy();
  });
  response.on('error', () => undefined);
  response.on('close', () => clearTimeout(timer));
}
