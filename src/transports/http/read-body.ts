import type { IncomingMessage } from 'node:http';
import { decodeUtf8 } from '../../lib/lines.js';
import type { TakeRoom } from './body-room.js';

export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'oversize' | 'busy' | 'encoding' | 'cut' };

/** How long to drain a body that is too long, so that its sender gets to read the error. */
const drainMs = 1000;

/** Read a body up to a limit and while memory is available; the rest of a longer one is discarded. */
export function readBody(request: IncomingMessage, limit: number, takeRoom: TakeRoom): Promise<Body> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    let draining: NodeJS.Timeout | undefined;
    let reason: 'oversize' | 'busy' = 'oversize';
    const refuse = (): void => resolve({ ok: false, reason });
    const drain = (): void => {
      parts.length = 0;
      draining ??= setTimeout(refuse, drainMs);
    };
    if (Number(request.headers['content-length'] ?? 0) > limit) drain();
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > limit) drain();
      else if (draining === undefined && takeRoom(part.length)) parts.push(part);
      else if (draining === undefined) {
        reason = 'busy';
        drain();
      }
    });
    request.on('end', () => {
      if (draining !== undefined) return refuse();
      const first = parts[0];
      const text = decodeUtf8(parts.length === 1 && first !== undefined ? first : Buffer.concat(parts));
      // The request may be kept longer than its body is needed.
      parts.length = 0;
      resolve(text === undefined ? { ok: false, reason: 'encoding' } : { ok: true, text });
    });
    request.on('error', () => resolve({ ok: false, reason: 'cut' }));
    request.on('close', () => {
      clearTimeout(draining);
      resolve({ ok: false, reason: 'cut' });
    });
  });
}
