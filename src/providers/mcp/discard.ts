import type { IncomingMessage } from 'node:http';

const mostBytes = 64 * 1024;
const longestMs = 5000;

/** Reads the end of a response that nobody needs, to keep the connection; closes it if there is no end in sight. */
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
