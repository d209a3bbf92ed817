import type { IncomingMessage } from 'node:http';
import { type Frame, readFrame } from '../../lib/json-rpc.js';
import { readBody } from './http-body.js';
import type { HttpClient } from './http-client.js';
import type { HttpSession } from './http-session.js';
import { createStreamReader, isAnswer, isStream } from './http-stream.js';
import { type TransportEvents, type TransportFailure, maxMessageBytes } from './transport.js';
import type { Clock } from './options.js';

export interface AnswerParts {
  readonly client: HttpClient;
  readonly session: HttpSession;
  readonly events: TransportEvents;
  readonly clock: Clock;
}

/** Pending requests of an HTTP connection, and the reading of their responses. */
export interface Answers {
  /** Registers a request that was sent in this session, if any; `drop` aborts it. */
  expect(id: number, sessionId: string | undefined, drop: () => void): void;
  receive(id: number, response: IncomingMessage): void;
  fail(id: number, failure: TransportFailure): void;
  /** Ends a request silently. */
  drop(id: number): void;
  dropAll(): void;
}

interface Waiting {
  readonly sessionId: string | undefined;
  readonly drop: () => void;
}

export function createAnswers({ client, session, events, clock }: AnswerParts): Answers {
  const waiting = new Map<number, Waiting>();
  const readStream = createStreamReader({
    client,
    session,
    clock,
    isWaiting: (id) => waiting.has(id),
    answered: answer,
    frame: (frame, id) => events.frame(frame, id),
    fail,
    nowEnds,
  });

  function fail(id: number, failure: TransportFailure): void {
    if (waiting.delete(id)) events.failed(id, failure);
  }

  /** Replaces the abort function of a request while its stream is resumed. */
  function nowEnds(id: number, drop: () => void): void {
    const sessionId = waiting.get(id)?.sessionId;
    if (waiting.has(id)) waiting.set(id, { sessionId, drop });
    else drop();
  }

  function receive(id: number, response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    const isGood = status >= 200 && status < 300;
    if (isGood && isStream(response)) {
      return readStream(id, response);
    }
    readBody(response, maxMessageBytes, (body) => {
      if (!body.ok) fail(id, body);
      else if (isGood) takeBody(id, readFrame(body.text));
      else takeRefusal(id, status, readFrame(body.text));
    });
  }

  function takeBody(id: number, frame: Frame): void {
    if (isAnswer(frame, id)) return answer(id, frame);
    const detail = frame.kind === 'bad' ? frame.reason : 'the body is not a response to the request';
    fail(id, { kind: 'malformed', detail });
  }

  function answer(id: number, frame: Frame): void {
    if (waiting.delete(id)) events.frame(frame, id);
  }

  function takeRefusal(id: number, status: number, frame: Frame): void {
    const isInSession = waiting.get(id)?.sessionId !== undefined && session.protocol === 'legacy';
    if (isInSession && isAboutSession(status, frame)) return fail(id, { kind: 'stale' });
    if (frame.kind === 'error' && (frame.id === undefined || isAnswer(frame, id))) return answer(id, frame);
    const detail = `HTTP ${String(status)}`;
    const mayHaveActed = status === 500 || status === 502 || status === 504;
    fail(id, mayHaveActed ? { kind: 'lost', detail } : { kind: 'refused', detail });
  }

  return {
    expect: (id, sessionId, drop) => void waiting.set(id, { sessionId, drop }),
    receive,
    fail,
    drop(id) {
      const found = waiting.get(id);
      waiting.delete(id);
      found?.drop();
    },
    dropAll() {
      for (const { drop } of waiting.values()) drop();
      waiting.clear();
    },
  };
}

/** The protocol uses 404 for an unknown session, but many servers return 400 without a request id. */
function isAboutSession(status: number, frame: Frame): boolean {
  return status === 404 || (status === 400 && (frame.kind !== 'error' || frame.id === undefined));
}
