import { type Cancellation, cancellationOf } from './cancellation.js';
import { JsonText } from './json-text.js';

export const questionMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
export type QuestionMethod = (typeof questionMethods)[number];

/** Something that a target must know from the caller before it can go on. */
export interface Question {
  readonly method: QuestionMethod;
  readonly params: JsonText;
}

export type Answer =
  | { readonly kind: 'answer'; readonly result: JsonText }
  /** The JSON-RPC error object that the caller answered with, or that we answer in its place. */
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

/** The live line back to the caller, handed down with the call. A stage may wrap it. */
export interface Exchange extends Cancellation {
  /** True when the caller asked for progress. */
  readonly wantsProgress: boolean;
  /** The least severe level that the caller wants to hear, or undefined for none. */
  readonly logLevel: LogLevel | undefined;
  /** Params of `notifications/progress`; the token is replaced by the caller's own. */
  progress(params: JsonText): void;
  /** Params of `notifications/message`. */
  log(level: LogLevel, params: JsonText): void;
  /** `live`: questions go out at once. `rounds`: the call is parked and the caller comes back with answers. */
  readonly asking: 'live' | 'rounds';
  /** Whether the caller declared that it can answer this kind of question. */
  canAnswer(method: QuestionMethod): boolean;
  ask(question: Question): Promise<Answer>;
  /** Marks a step of the work for whoever watches; there when somebody does. Call what it gives when it ends. */
  step?(name: string): EndStep;
}

/** `failure` says in words why the step failed. */
export type EndStep = (failure?: string) => void;

/** The line of a caller that only wants the result: it hears nothing in between and answers no questions. */
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
        error: JsonText.from({ code: -32601, message: 'This caller answers no questions.' }),
      }),
  };
}
