import type { Answer, Exchange, LogLevel, Question } from '../core/index.js';
import { createCancellation } from '../lib/cancellation.js';
import { JsonText } from '../lib/json-text.js';

export interface FakeExchange extends Exchange {
  /** Everything sent to the caller during the call. */
  readonly sent: {
    readonly progress: JsonText[];
    readonly logs: { readonly level: LogLevel; readonly params: JsonText }[];
    readonly questions: Question[];
  };
  /** Cancels the call, like a caller would. */
  cancel(): void;
}

export interface FakeExchangeOptions {
  readonly asking?: Exchange['asking'];
  readonly logLevel?: LogLevel;
  /** Answers every question. Without it, the caller declares no capability to answer. */
  readonly answer?: (question: Question) => unknown;
}

/** An in-memory caller. */
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
