import type { IncomingMessage } from 'node:http';
import { decodeUtf8 } from '../../lib/lines.js';
import type { Clock } from './options.js';
import { createPace } from './pace.js';
import { createSseReader, type SseEvent } from '../../lib/event-stream.js';

export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly kind: 'lost' | 'malformed'; readonly detail: string };

/** Reads a whole body, within a limit. */
export function readBody(response: IncomingMessage, limit: number, done: (body: Body) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  const finish = (body: Body): void => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) return void chunks.push(chunk);
    finish({ ok: false, kind: 'malformed', detail: 'the response is too long' });
    response.destroy();
  });
  response.on('end', () => {
    const text = decodeUtf8(Buffer.concat(chunks));
    if (text === undefined) finish({ ok: false, kind: 'malformed', detail: 'the response is not UTF-8' });
    else finish({ ok: true, text });
  });
  response.on('close', () => finish({ ok: false, kind: 'lost', detail: 'the connection was lost' }));
  response.on('error', (error) => finish({ ok: false, kind: 'lost', detail: error.message }));
}

export interface StreamEnd {
  readonly detail: string;
  readonly isMalformed: boolean;
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

const lingerMs = 1000;
const probeMs = 30_000;
/** Limits for empty lines in a stream. */
const emptyBurst = 10_000;
const emptyPerSecond = 100;

/** Reads an event stream until it ends. `take` returns true when it needs no more events. */
export function readEvents(
  response: IncomingMessage,
  limit: number,
  clock: Clock,
  handlers: { take(event: SseEvent): boolean; ended(end: StreamEnd): void },
): void {
  const pace = createPace(clock, emptyBurst, emptyPerSecond);
  const reader = createSseReader(limit, { mayBeEmpty: () => pace.pass() });
  let isDone = false;
  // A stream may be silent for hours, so use keep-alive probes to detect a dead peer.
  response.socket.setKeepAlive(true, probeMs);

  function finish(detail: string, isMalformed = false): void {
    if (isDone) return;
    isDone = true;
    const { lastEventId, retryMs } = reader;
    handlers.ended({ detail, isMalformed, lastEventId, retryMs });
  }

  function read(chunk: Uint8Array): readonly SseEvent[] {
    try {
      return reader.push(chunk);
    } catch (error) {
      finish(error instanceof Error ? error.message : 'unreadable', true);
      response.destroy();
      return [];
    }
  }

  /** The server should close the stream now; if it does not, we close it. */
  function satisfied(): void {
    isDone = true;
    const stop = clock.after(lingerMs, () => response.destroy(), true);
    response.on('close', stop);
  }

  response.on('data', (chunk: Buffer) => {
    for (const event of isDone ? [] : read(chunk)) {
      if (!isDone && handlers.take(event)) satisfied();
    }
  });
  response.on('end', () => finish('the stream ended'));
  response.on('close', () => finish('the connection was lost'));
  response.on('error', (error) => finish(error.message));
}
