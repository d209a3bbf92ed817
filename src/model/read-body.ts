import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const maxOutputLength = 64 * 1024 * 1024;

/** The request body as JSON; undefined if it is not valid. */
export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    size += (part as Buffer).length;
    if (size > maxOutputLength) throw new Error('the request is too large');
    parts.push(part as Buffer);
  }
  return parsed(unpacked(Buffer.concat(parts), incoming.headers['content-encoding']).toString('utf8'));
}

function unpacked(bytes: Buffer, encoding?: string): Buffer {
  if (encoding === 'gzip') return gunzipSync(bytes, { maxOutputLength });
  if (encoding === 'br') return brotliDecompressSync(bytes, { maxOutputLength });
  return bytes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
