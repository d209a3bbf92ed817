import { type Frame, readFrame } from '../../lib/json-rpc.js';
import type { Log } from '../../ports/log.js';
import { discard } from './discard.js';
import { readEvents, type StreamEnd } from './http-body.js';
import type { HttpClient } from './http-client.js';
import type { HttpSession } from './http-session.js';
import { maxMessageBytes } from './transport.js';
import type { Clock } from './options.js';

export interface UnaskedParts {
  readonly client: HttpClient;
  readonly session: HttpSession;
  readonly clock: Clock;
  readonly log: Log;
  readonly frame: (frame: Frame) => void;
}

/** The stream of a legacy server for messages that belong to no request. Reopened when it breaks. */
export interface UnaskedStream {
  close(): void;
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

export function openUnaskedStream(parts: UnaskedParts): UnaskedStream {
  const { client, session, clock } = parts;
  let drop: (() => void) | undefined;
  let stopPause: (() => void) | undefined;
  let lastEventId: string | undefined;
  let retryMs = firstPauseMs;
  let failures = 0;
  let isClosed = false;

  function open(): void {
    const headers = { ...session.headersFor(undefined), accept: 'text/event-stream' };
    const resumed = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    drop = client.send(
      { method: 'GET', headers: { ...headers, ...resumed }, isRepeatable: true },
      {
        response(response) {
          const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
          if (response.statusCode !== 200 || !isStream) {
            // Most servers have no such stream and return 405. Other failures will show up in calls.
            parts.log('debug', 'the server has no stream for unsolicited messages', {
              status: response.statusCode,
            });
            discard(response);
            return;
          }
          readEvents(response, maxMessageBytes, clock, { take, ended: again });
        },
        error: (detail) => again({ detail, isMalformed: false, lastEventId: undefined, retryMs: undefined }),
      },
    );
  }

  function take({ event, data }: { readonly event: string; readonly data: string }): boolean {
    failures = 0;
    if (event === 'message') parts.frame(readFrame(data));
    return false;
  }

  function again(end: StreamEnd): void {
    if (isClosed) return;
    lastEventId = end.lastEventId ?? lastEventId;
    retryMs = end.retryMs ?? retryMs;
    const pause = Math.min(retryMs * 2 ** failures, longestPauseMs);
    failures = Math.min(failures + 1, 16);
    stopPause = clock.after(pause, open, true);
  }

  open();
  return {
    close() {
      isClosed = true;
      stopPause?.();
      drop?.();
    },
  };
}
