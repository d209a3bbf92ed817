import type { ServerResponse } from 'node:http';

const largeChars = 256 * 1024;

export function answerJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  // As bytes, a large unread answer is kept only once; a small one is faster as text, sent with its head.
  const body = text.length > largeChars ? Buffer.from(text) : text;
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    })
    .end(body);
}
