import type { Gateway } from '../gateway/index.js';
import type {
  Answer,
  Client,
  LogLevel,
  Outcome,
  Question,
  Request,
  Session,
  ToolSpec,
} from '../core/index.js';
import { emptyObject } from '../lib/json-text.js';
import type { Cancellation } from '../lib/cancellation.js';
import type { Frame } from '../lib/json-rpc.js';
import { duplicate, failed, tooMany } from './answers.js';
import { createExchange } from './exchanges.js';
import { protocolError } from './faults.js';
import type { InFlight } from './framing/in-flight.js';
import type { ReplyLine } from './framing/reply-line.js';
import type { Semaphore } from '../lib/semaphore.js';
import { maxRunning, maxWaiting } from './identity.js';
import { buildRequest, type CallMethod, readWanted } from './requests.js';

export type AskedFrame = Extract<Frame, { kind: 'request' }>;

/** A request in progress: its content, its reply line, and whether it is cancelled. */
export interface Asked {
  readonly frame: AskedFrame;
  readonly line: ReplyLine;
  readonly caller: Cancellation;
}

export interface CallRunnerParts {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly inFlight: InFlight;
  readonly semaphore: Semaphore;
  readonly newRequestId: () => string;
}

/** What differs between protocol versions: how to ask the caller for input, and how to write the outcome. */
export interface CallFace {
  readonly client: Client;
  readonly logLevel: LogLevel | undefined;
  readonly asking: 'live' | 'rounds';
  ask(question: Question, asked: Asked): Promise<Answer>;
  /** `tool` is the tool that failed, if any. */
  end(asked: Asked, outcome: Outcome, request: Request, tool?: ToolSpec): void;
}

/** Answer a request and reserve its id meanwhile. The id is always freed. */
export async function answerUnderId(
  inFlight: InFlight,
  frame: AskedFrame,
  line: ReplyLine,
  answer: (asked: Asked) => void | Promise<void>,
): Promise<void> {
  if (inFlight.size >= maxRunning + maxWaiting) return line.end(tooMany(frame.id));
  const caller = inFlight.begin(frame.id);
  if (caller === undefined) return line.end(duplicate(frame.id), 400);
  try {
    const answering = answer({ frame, line, caller });
    // An answered request must not count as in flight, not even for a tick.
    if (answering !== undefined) await answering;
  } catch {
    if (caller.isCancelled) line.drop();
    else line.end(failed(frame.id));
  } finally {
    inFlight.end(frame.id);
  }
}

/** Take one request through the gateway: semaphore, exchange, one answer. */
export async function runCall(
  parts: CallRunnerParts,
  asked: Asked,
  method: CallMethod,
  face: CallFace,
): Promise<void> {
  const { frame, line, caller } = asked;
  const params = frame.params ?? emptyObject;
  const wanted = readWanted(method, params);
  if (typeof wanted === 'string') return line.end(protocolError(frame.id, -32602, wanted));
  const turn = parts.semaphore.enter(caller);
  if (!(turn === true || (await turn))) return caller.isCancelled ? line.drop() : line.end(tooMany(frame.id));
  const incoming = { id: parts.newRequestId(), session: parts.session, client: face.client, wanted, params };
  const exchange = createExchange(params, asked, face);
  try {
    const request = buildRequest(incoming, face.asking === 'rounds' && method !== 'completion/complete');
    const outcome = await parts.gateway.call(request, exchange);
    exchange.hangUp();
    if (caller.isCancelled) line.drop();
    else face.end(asked, outcome, request, failedTool(parts, request, outcome));
  } finally {
    parts.semaphore.leave();
  }
}

function failedTool(
  { gateway, session }: CallRunnerParts,
  { wanted }: Request,
  outcome: Outcome,
): ToolSpec | undefined {
  const hasFailed = outcome.kind === 'fault' && wanted.kind === 'tool';
  return hasFailed ? gateway.registry.describe(session, wanted.name) : undefined;
}
