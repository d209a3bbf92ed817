import {
  type Answer,
  createCancellation,
  type Exchange,
  JsonText,
  type LogLevel,
  type Question,
} from '../kernel/index.js';

export interface FakeExchange extends Exchange {
  /** What was sent back to the caller while the call ran. */
  readonly sent: {
    readonly progress: JsonText[];
    readonly logs: { readonly level: LogLevel; readonly params: JsonText }[];
    readonly questions: Question[];
  };
  /** What a caller does when it loses patience. */
  cancel(): void;
}

export interface FakeExchangeOptions {
  readonly asking?: Exchange['asking'];
  readonly logLevel?: LogLevel;
  /** Answers every question; without it the caller declares that it can answer none. */
  readonly answer?: (question: Question) => unknown;
}

/** A caller made of nothing but memory. */
export function createFakeExchange(options: FakeExchangeOptions = {}): FakeExchange {
  const caller = createCancellation();
  const sent: FakeExchange['sent'] = { progress: [], logs: [], questions: [] };
  return {
    sent,
    get isCancelled() {
      return caller.isCancelled;
    },
    onCancel: (listener) => caller.onCancel(listener),
    get signal() {
      return caller.signal;
    },
    wantsProgress: true,
    logLevel: options.logLevel,
    asking: options.asking ?? 'live',
    progress: (params) => void sent.progress.push(params),
    log: (level, params) => void sent.logs.push({ level, params }),
    canAnswer: () => options.answer !== undefined,
    ask(question): Promise<Answer> {
      sent.questions.push(question);
      const { answer } = options;
      if (answer) return Promise.resolve({ kind: 'answer', result: JsonText.from(answer(question)) });
      return Promise.resolve({
        kind: 'refused',
        error: JsonText.from({ code: -32601, message: 'cannot answer' }),
      });
    },
    cancel: () => caller.cancel(),
  };
}
