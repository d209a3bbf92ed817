import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { WebAnswer } from '../../ports/web.js';
import { headersOf } from './headers.js';
import type { Sending } from './target.js';

export interface Order extends Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  readonly mostBytes: number;
}

/** Sends one request on a separate connection. Follows no redirect. */
export function sendOnce({
  target,
  method,
  body,
  headers,
  lookup,
  signal,
  mostBytes,
}: Order): Promise<WebAnswer> {
  const library = target.protocol === 'https:' ? https : http;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = library.request(
      target,
      { method, headers: { ...headers, ...length }, lookup, signal, agent: false },
      (response) => {
        readBody(response, mostBytes).then(
          (read) =>
            resolve({ status: response.statusCode ?? 0, headers: headersOf(response.rawHeaders), ...read }),
          reject,
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function readBody(
  response: http.IncomingMessage,
  most: number,
): Promise<Pick<WebAnswer, 'body' | 'isCut'>> {
  const parts: Buffer[] = [];
  let left = most;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, left));
    if (part.length > left) {
      response.destroy();
      // Drops a character that the limit cuts in two.
      return {
        body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts), { stream: true }),
        isCut: true,
      };
    }
    left -= part.length;
  }
  return { body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts)), isCut: false };
}
