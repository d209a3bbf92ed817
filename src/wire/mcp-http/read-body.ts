import type { IncomingMessage } from 'node:http';
import { decodeUtf8 } from '../../kernel/index.js';

export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'oversize' | 'encoding' | 'cut' };

/** Reads a body up to a limit; the rest of one that is longer is thrown away, not kept. */
export function readBody(request: IncomingMessage, limit: number): Promise<Body> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      request.resume();
      resolve({ ok: false, reason: 'oversize' });
      return;
    }
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > limit) {
        parts.length = 0;
        resolve({ ok: false, reason: 'oversize' });
      } else parts.push(part);
    });
    request.on('end', () => {
      const first = parts[0];
      const text = decodeUtf8(parts.length === 1 && first !== undefined ? first : Buffer.concat(parts));
      resolve(text === undefined ? { ok: false, reason: 'encoding' } : { ok: true, text });
    });
    request.on('error', () => resolve({ ok: false, reason: 'cut' }));
    request.on('close', () => resolve({ ok: false, reason: 'cut' }));
  });
}
