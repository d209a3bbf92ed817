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

export interface ExchangeOptions {
  readonly signal?: AbortSignal;
  readonly wantsProgress?: boolean;
  readonly logLevel?: LogLevel;
  readonly asking?: 'live' | 'rounds';
  readonly can?: readonly string[];
  readonly answer?: (question: Question) => Answer | Promise<Answer>;
}

/** A caller that writes down what reaches it. */
export function recordExchange(requests: ExchangeOptions = {}): {
  readonly exchange: Exchange;
  readonly seen: Seen;
} {
  const seen: Seen = { progress: [], logs: [], questions: [] };
  const caller = cancellationOf(requests.signal ?? new AbortController().signal);
  const exchange: Exchange = {
    get isCancelled() {
      return caller.isCancelled;
    },
    onCancel: (listener) => caller.onCancel(listener),
    signal: caller.signal,
    wantsProgress: requests.wantsProgress ?? false,
    logLevel: requests.logLevel,
    asking: requests.asking ?? 'live',
    progress: (params) => void seen.progress.push(params.value),
    log: (level, params) => void seen.logs.push([level, params.value]),
    canAnswer: (method) => requests.can?.includes(method) ?? false,
    async ask(question) {
      seen.questions.push(question);
      return (
        requests.answer?.(question) ?? { kind: 'refused', error: JsonText.from({ code: -1, message: 'no' }) }
      );
    },
  };
  return { exchange, seen };
}

function sessionOf(id: string): Session {
  return { id, scope: 'connection', principal: { kind: 'agent', id, zone: 'local' } };
}

export interface CallOptions {
  readonly session?: string;
  readonly params?: string;
  readonly capabilities?: string;
  readonly answers?: Resumption;
  readonly trace?: Trace;
}

/** A call as `admit` would make it, for tests that stand behind the pipeline. */
export function callOf(target: Target, requests: CallOptions = {}): Call {
  const session = sessionOf(requests.session ?? 'one');
  const client: Client = {
    protocol: 'legacy',
    protocolVersion: '2025-11-25',
    capabilities: new JsonText(requests.capabilities ?? '{}'),
  };
  const call = {
    requestId: 'request',
    principal: session.principal,
    session,
    client,
    target,
    providerId: 'fake',
    params: new JsonText(requests.params ?? '{}'),
    input: {},
    resumed: false,
    ...(requests.answers && { answers: requests.answers }),
    ...(requests.trace && { trace: requests.trace }),
  };
  return call as unknown as Call;
}
