import type {
  Answer,
  Call,
  Client,
  Exchange,
  LogLevel,
  Question,
  Resumption,
  Session,
  Target,
  Trace,
} from '../../src/core/index.js';
import { cancellationOf } from '../../src/lib/cancellation.js';
import { JsonText } from '../../src/lib/json-text.js';

/** What a caller saw during a call. */
export interface Seen {
  readonly progress: unknown[];
  readonly logs: unknown[];
  readonly questions: Question[];
}

export interface ExchangeWishes {
  readonly signal?: AbortSignal;
  readonly wantsProgress?: boolean;
  readonly logLevel?: LogLevel;
  readonly asking?: 'live' | 'rounds';
  readonly can?: readonly string[];
  readonly answer?: (question: Question) => Answer | Promise<Answer>;
}

/** A caller that writes down what reaches it. */
export function recordExchange(wishes: ExchangeWishes = {}): {
  readonly exchange: Exchange;
  readonly seen: Seen;
} {
  const seen: Seen = { progress: [], logs: [], questions: [] };
  const caller = cancellationOf(wishes.signal ?? new AbortController().signal);
  const exchange: Exchange = {
    get isCancelled() {
      return caller.isCancelled;
    },
    onCancel: (listener) => caller.onCancel(listener),
    signal: caller.signal,
    wantsProgress: wishes.wantsProgress ?? false,
    logLevel: wishes.logLevel,
    asking: wishes.asking ?? 'live',
    progress: (params) => void seen.progress.push(params.value),
    log: (level, params) => void seen.logs.push([level, params.value]),
    canAnswer: (method) => wishes.can?.includes(method) ?? false,
    async ask(question) {
      seen.questions.push(question);
      return (
        wishes.answer?.(question) ?? { kind: 'refused', error: JsonText.from({ code: -1, message: 'no' }) }
      );
    },
  };
  return { exchange, seen };
}

function sessionOf(id: string): Session {
  return { id, scope: 'connection', principal: { kind: 'agent', id, zone: 'local' } };
}

export interface CallWishes {
  readonly session?: string;
  readonly params?: string;
  readonly capabilities?: string;
  readonly answers?: Resumption;
  readonly trace?: Trace;
}

/** A call as `admit` would make it, for tests that stand behind the corridor. */
export function callOf(target: Target, wishes: CallWishes = {}): Call {
  const session = sessionOf(wishes.session ?? 'one');
  const client: Client = {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    capabilities: new JsonText(wishes.capabilities ?? '{}'),
  };
  const call = {
    requestId: 'request',
    principal: session.principal,
    session,
    client,
    target,
    providerId: 'fake',
    params: new JsonText(wishes.params ?? '{}'),
    input: {},
    resumed: false,
    ...(wishes.answers && { answers: wishes.answers }),
    ...(wishes.trace && { trace: wishes.trace }),
  };
  return call as unknown as Call;
}
