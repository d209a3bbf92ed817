import type { Gateway } from '../gateway/index.js';
import {
  type Answer,
  type Client,
  emptyObject,
  type Frame,
  type LogLevel,
  type Outcome,
  type Question,
  type Request,
  type Session,
} from '../kernel/index.js';
import { duplicate, tooMany } from './answers.js';
import { createExchange } from './exchanges.js';
import { protocolError } from './faults.js';
import type { InFlight } from './framing/in-flight.js';
import type { ReplyLine } from './framing/reply-line.js';
import type { Turnstile } from './framing/turnstile.js';
import { buildRequest, type CallMethod, readWanted } from './requests.js';

export type AskedFrame = Extract<Frame, { kind: 'request' }>;

export interface CallRunnerParts {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly inFlight: InFlight;
  readonly turnstile: Turnstile;
  readonly newRequestId: () => string;
}

/** What differs between the eras: how the caller is asked and how the outcome is written. */
export interface CallFace {
  readonly client: Client;
  readonly logLevel: LogLevel | undefined;
  readonly asking: 'live' | 'rounds';
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  end(outcome: Outcome, request: Request): void;
}

/** Takes one request through the gateway: its id, its turn, its exchange, its one answer. */
export async function runCall(
  parts: CallRunnerParts,
  frame: AskedFrame,
  method: CallMethod,
  face: CallFace,
  line: ReplyLine,
): Promise<void> {
  const params = frame.params ?? emptyObject;
  const wanted = readWanted(method, params);
  if (typeof wanted === 'string') return line.end(protocolError(frame.id, -32602, wanted));
  const controller = parts.inFlight.begin(frame.id);
  if (controller === undefined) return line.end(duplicate(frame.id), 400);
  const { signal } = controller;
  const incoming = { id: parts.newRequestId(), session: parts.session, client: face.client, wanted, params };
  try {
    const turn = parts.turnstile.enter(signal);
    if (!(turn === true || (await turn))) return signal.aborted ? line.drop() : line.end(tooMany(frame.id));
    try {
      const request = buildRequest(incoming, face.asking === 'rounds' && method !== 'completion/complete');
      const exchange = createExchange({
        params,
        line,
        signal,
        client: face.client,
        logLevel: face.logLevel,
        asking: face.asking,
        ask: (question) => face.ask(question, signal),
      });
      const outcome = await parts.gateway.call(request, exchange);
      if (signal.aborted) line.drop();
      else face.end(outcome, request);
    } finally {
      parts.turnstile.leave();
    }
  } finally {
    parts.inFlight.end(frame.id);
  }
}
