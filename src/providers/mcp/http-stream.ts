import type { IncomingMessage } from 'node:http';
import { type Frame, readFrame } from '../../lib/json-rpc.js';
import { discard } from './discard.js';
import { readEvents, type StreamEnd } from './http-body.js';
import type { HttpClient } from './http-client.js';
import type { HttpSession } from './http-session.js';
import type { Clock } from './options.js';
import { maxMessageBytes, type TransportFailure } from './transport.js';

export interface StreamReaderParts {
  readonly client: HttpClient;
  readonly session: HttpSession;
  readonly clock: Clock;
  readonly isWaiting: (id: number) => boolean;
  readonly answered: (id: number, frame: Frame) => void;
  /** Another message on the stream of a request. */
  readonly frame: (frame: Frame, id: number | undefined) => void;
  readonly fail: (id: number, failure: TransportFailure) => void;
  /** Replaces the function that aborts the request. */
  readonly nowEnds: (id: number, drop: () => void) => void;
}

const resumeMs = 1000;
const longestResumeMs = 30_000;
const maxResumes = 5;

/** How often a broken stream was resumed without new events, and from where. */
interface Resumed {
  readonly times: number;
  readonly lastEventId: string | undefined;
  readonly retryMs: number;
}

/** Reads the event stream that answers a request, and resumes it after it breaks. */
export function createStreamReader(
  parts: StreamReaderParts,
): (id: number, response: IncomingMessage) => void {
  const { client, session, clock } = parts;

  function read(id: number, response: IncomingMessage, before: Resumed): void {
    let hasNews = false;
    readEvents(response, maxMessageBytes, clock, {
      take({ event, data }) {
        hasNews = true;
        // An empty event only carries an id for resuming the stream.
        if (event !== 'message' || data === '') return false;
        const frame = readFrame(data);
        if (isAnswer(frame, id)) {
          parts.answered(id, frame);
          return true;
        }
        if (parts.isWaiting(id)) parts.frame(frame, frame.kind === 'bad' ? undefined : id);
        return false;
      },
      ended: (end) => streamEnded(id, end, hasNews ? { ...before, times: 0 } : before),
    });
  }

  function streamEnded(id: number, end: StreamEnd, before: Resumed): void {
    const lastEventId = end.lastEventId ?? before.lastEventId;
    if (end.isMalformed) return parts.fail(id, { kind: 'malformed', detail: end.detail });
    const canResume = session.protocol === 'legacy' && lastEventId !== undefined && before.times < maxResumes;
    if (!canResume) return parts.fail(id, { kind: 'lost', detail: end.detail });
    const retryMs = Math.min(end.retryMs ?? before.retryMs, longestResumeMs);
    const resumed = { times: before.times + 1, lastEventId, retryMs };
    parts.nowEnds(
      id,
      clock.after(retryMs, () => resume(id, resumed), true),
    );
  }

  function resume(id: number, resumed: Resumed): void {
    if (!parts.isWaiting(id)) return;
    const headers = { ...session.headersFor(undefined), accept: 'text/event-stream' };
    const from = resumed.lastEventId === undefined ? {} : { 'last-event-id': resumed.lastEventId };
    const order = { method: 'GET', headers: { ...headers, ...from }, isRepeatable: true } as const;
    const drop = client.send(order, {
      response(response) {
        if (response.statusCode === 200 && isStream(response)) return read(id, response, resumed);
        discard(response);
        parts.fail(id, { kind: 'lost', detail: `HTTP ${String(response.statusCode)} while resuming` });
      },
      error: (detail) =>
        streamEnded(id, { detail, isMalformed: false, lastEventId: undefined, retryMs: undefined }, resumed),
    });
    parts.nowEnds(id, drop);
  }

  return (id, response) => read(id, response, { times: 0, lastEventId: undefined, retryMs: resumeMs });
}

export function isStream(response: IncomingMessage): boolean {
  return response.headers['content-type']?.startsWith('text/event-stream') === true;
}

export function isAnswer(frame: Frame, id: number): boolean {
  return (frame.kind === 'result' || frame.kind === 'error') && frame.id === String(id);
}
