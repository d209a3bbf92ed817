import { type Answer, deriveExchange, type Exchange, type Fault, type Question } from '../core/index.js';
import { createCancellation } from '../lib/cancellation.js';
import { JsonText, membersOf } from '../lib/json-text.js';
import { unanswerable } from './questions.js';

/** How long a first question waits for others, so that they go out together. Too short to notice. */
const togetherMs = 25;

/** The questions and answers of a call that outlives the request that started it. */
export interface Conversation {
  /** The exchange of the call: always forwards to the caller's latest request. */
  readonly exchange: Exchange;
  attach(exchange: Exchange): void;
  /** Detaches the exchange: the current request is answered and there is no other yet. */
  rest(): void;
  asked(): Promise<'asked'>;
  questions(): JsonText;
  answer(responses: JsonText): void;
  abort(): void;
  isOver(): boolean;
}

interface Pending {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
}

export function createConversation(first: Exchange): Conversation {
  const own = createCancellation();
  const pending = new Map<string, Pending>();
  let attached = first;
  let isResting = false;
  let count = 0;
  let wake: (() => void) | undefined;

  function attach(exchange: Exchange): void {
    attached = exchange;
    isResting = false;
    // An old request is already answered; only the current one may cancel the call.
    const cancel = (): void => {
      if (exchange === attached && !isResting) own.cancel();
    };
    exchange.onCancel(cancel);
  }

  function ask(question: Question): Promise<Answer> {
    if (own.isCancelled) return Promise.resolve(nobody());
    const problem = unanswerable(question, attached);
    if (problem) return Promise.resolve(refused(-32021, problem.message, problem.data));
    return new Promise((resolve) => {
      count += 1;
      pending.set(`ask-${String(count)}`, { question, resolve });
      wake?.();
    });
  }

  own.onCancel(() => {
    for (const { resolve } of pending.values()) resolve(nobody());
    pending.clear();
  });
  attach(first);

  const exchange = deriveExchange(() => attached, {
    get isCancelled() {
      return own.isCancelled;
    },
    get signal() {
      return own.signal;
    },
    onCancel: (listener) => own.onCancel(listener),
    asking: 'rounds',
    progress: (params) => {
      if (!isResting) attached.progress(params);
    },
    log: (level, params) => {
      if (!isResting) attached.log(level, params);
    },
    ask,
  });

  return {
    exchange,
    attach,
    rest() {
      isResting = true;
    },
    async asked() {
      if (pending.size === 0) await new Promise<void>((resolve) => (wake = resolve));
      // Send questions that were asked together in one round.
      await new Promise((resolve) => setTimeout(resolve, togetherMs));
      return 'asked';
    },
    questions: () => questionsText(pending),
    answer(responses) {
      for (const member of membersOf(responses.text)) {
        const waiting = pending.get(member.key);
        const result = new JsonText(responses.text.slice(member.start, member.end));
        if (waiting === undefined || !isAnswer(waiting.question, result.value)) continue;
        pending.delete(member.key);
        waiting.resolve({ kind: 'answer', result });
      }
    },
    abort: () => own.cancel(),
    isOver: () => own.isCancelled,
  };
}

function nobody(): Answer {
  return refused(-32603, 'the caller disconnected');
}

function refused(code: number, message: string, data?: Fault['data']): Answer {
  return { kind: 'refused', error: JsonText.from({ code, message, data }) };
}

function questionsText(pending: ReadonlyMap<string, Pending>): JsonText {
  const parts = [...pending].map(
    ([key, { question }]) =>
      `${JSON.stringify(key)}:{"method":${JSON.stringify(question.method)},"params":${question.params.text}}`,
  );
  return new JsonText(`{${parts.join(',')}}`);
}

/** Malformed answers are ignored: the question stays open and is asked again. */
function isAnswer(question: Question, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (question.method === 'elicitation/create') return 'action' in value && typeof value.action === 'string';
  if (question.method === 'roots/list') return 'roots' in value && Array.isArray(value.roots);
  return 'role' in value || 'content' in value;
}
