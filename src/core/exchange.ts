import { type Cancellation, cancellationOf } from '../lib/cancellation.js';
import { JsonText } from '../lib/json-text.js';

export const questionMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
export type QuestionMethod = (typeof questionMethods)[number];

/** Input that a target needs from the caller before it can continue. */
export interface Question {
  readonly method: QuestionMethod;
  readonly params: JsonText;
}

export type Answer =
  | { readonly kind: 'answer'; readonly result: JsonText }
  /** The JSON-RPC error from the caller, or one made on its behalf. */
  | { readonly kind: 'refused'; readonly error: JsonText };

export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof logLevels)[number];

/** The channel back to the caller during a call. A stage may wrap it. */
export interface Exchange extends Cancellation {
  /** True when the caller requested progress. */
  readonly wantsProgress: boolean;
  /** The minimum log level that the caller wants, or undefined for none. */
  readonly logLevel: LogLevel | undefined;
  /** Params of `notifications/progress`; the token is replaced with the caller's. */
  progress(params: JsonText): void;
  /** Params of `notifications/message`. */
  log(level: LogLevel, params: JsonText): void;
  /** `live`: questions are sent during the call. `rounds`: the call is parked until the caller returns with answers. */
  readonly asking: 'live' | 'rounds';
  /** Whether the client declared support for this kind of question. */
  canAnswer(method: QuestionMethod): boolean;
  ask(question: Question): Promise<Answer>;
  /** Reports the start of a step; set only if there are observers. Call the returned function when the step ends. */
  readonly step?: ((name: string) => EndStep) | undefined;
}

/** `failure` describes why the step failed. */
export type EndStep = (failure?: string) => void;

/**
 * An exchange that behaves like another one. Every wrapper extends it, so that a new member cannot get lost in one of them.
 * `base` is read each time: a parked call changes its caller.
 */
export abstract class DerivedExchange implements Exchange {
  protected abstract get base(): Exchange;

  get isCancelled(): boolean {
    return this.base.isCancelled;
  }

  get signal(): AbortSignal {
    return this.base.signal;
  }

  get wantsProgress(): boolean {
    return this.base.wantsProgress;
  }

  get logLevel(): LogLevel | undefined {
    return this.base.logLevel;
  }

  get asking(): 'live' | 'rounds' {
    return this.base.asking;
  }

  get step(): ((name: string) => EndStep) | undefined {
    const base = this.base;
    return base.step && ((name) => base.step?.(name) ?? (() => undefined));
  }

  onCancel(listener: () => void): () => void {
    return this.base.onCancel(listener);
  }

  progress(params: JsonText): void {
    this.base.progress(params);
  }

  log(level: LogLevel, params: JsonText): void {
    this.base.log(level, params);
  }

  canAnswer(method: QuestionMethod): boolean {
    return this.base.canAnswer(method);
  }

  ask(question: Question): Promise<Answer> {
    return this.base.ask(question);
  }
}

/** A derived exchange with some members replaced. */
export function deriveExchange(base: () => Exchange, changes: Partial<Exchange>): Exchange {
  return Object.defineProperties(new ChangedExchange(base), Object.getOwnPropertyDescriptors(changes));
}

class ChangedExchange extends DerivedExchange {
  readonly #base: () => Exchange;

  constructor(base: () => Exchange) {
    super();
    this.#base = base;
  }

  protected override get base(): Exchange {
    return this.#base();
  }
}

/** An exchange for callers that only want the result: no notifications, no questions. */
export function createQuietExchange(signal: AbortSignal): Exchange {
  const cancellation = cancellationOf(signal);
  return {
    get isCancelled() {
      return cancellation.isCancelled;
    },
    onCancel: (listener) => cancellation.onCancel(listener),
    signal,
    wantsProgress: false,
    logLevel: undefined,
    asking: 'live',
    progress: () => {},
    log: () => {},
    canAnswer: () => false,
    ask: () =>
      Promise.resolve({
        kind: 'refused',
        error: JsonText.from({ code: -32601, message: 'This caller cannot answer questions.' }),
      }),
  };
}
