import { randomUUID } from 'node:crypto';
import {
  deriveExchange,
  type Answer,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  type Outcome,
  type Question,
  type Request,
} from '../core/index.js';
import { createCancellation } from '../lib/cancellation.js';
import { JsonText, membersOf } from '../lib/json-text.js';
import { unanswerable } from './questions.js';
import type { StateSeal } from './state-seal.js';

/** Multi-round input: parks a call until the client comes back with answers. */
export interface MultiRound {
  run(
    request: Request,
    exchange: Exchange,
    start: (exchange: Exchange) => Promise<Outcome>,
  ): Promise<Outcome>;
  resume(request: Request, exchange: Exchange, id: string, responses: JsonText): Promise<Outcome>;
  close(): void;
}

const maxParked = 1000;
const maxParkedPerSession = 64;
const waitMs = 10 * 60_000;
/** How long a first question waits for others, so that they go out together. Too short to notice. */
const togetherMs = 25;

interface Parked {
  readonly sessionId: string;
  readonly conversation: Conversation;
  readonly done: Promise<Outcome>;
  readonly timer: NodeJS.Timeout;
}

export function openMultiRound(seal: StateSeal): MultiRound {
  const parked = new Map<string, Parked>();

  function park(request: Request, conversation: Conversation, done: Promise<Outcome>): Outcome {
    if (parked.size >= maxParked || countOf(parked, request.session.id) >= maxParkedPerSession) {
      conversation.abort();
      return faulted(
        createFault('call.too_many', 'Too many calls are waiting for your input. Answer them first.'),
      );
    }
    conversation.rest();
    const id = randomUUID();
    const timer = setTimeout(() => {
      parked.delete(id);
      conversation.abort();
    }, waitMs);
    timer.unref();
    parked.set(id, { sessionId: request.session.id, conversation, done, timer });
    forgetCancelled(id, done);
    return {
      kind: 'asks',
      questions: conversation.questions(),
      state: seal.close(request, { kind: 'parked', id }),
    };
  }

  /** A cancelled call is removed. Any other outcome is kept for the caller. */
  function forgetCancelled(id: string, done: Promise<Outcome>): void {
    done.then(
      (outcome) => {
        if (outcome.kind !== 'fault' || outcome.fault.code !== 'call.cancelled') return;
        clearTimeout(parked.get(id)?.timer);
        parked.delete(id);
      },
      () => undefined,
    );
  }

  async function next(
    request: Request,
    conversation: Conversation,
    done: Promise<Outcome>,
  ): Promise<Outcome> {
    const first = await Promise.race([done, conversation.asked()]);
    if (first !== 'asked') return first;
    return conversation.isOver() ? done : park(request, conversation, done);
  }

  return {
    run(request, exchange, start) {
      const conversation = createConversation(exchange);
      return next(request, conversation, start(conversation.exchange));
    },
    async resume(request, exchange, id, responses) {
      const waiting = parked.get(id);
      if (waiting?.sessionId !== request.session.id) {
        return faulted(createFault('ask.expired', 'This request has expired. Retry the call.'));
      }
      parked.delete(id);
      clearTimeout(waiting.timer);
      waiting.conversation.attach(exchange);
      waiting.conversation.answer(responses);
      return next(request, waiting.conversation, waiting.done);
    },
    close() {
      for (const waiting of parked.values()) {
        clearTimeout(waiting.timer);
        waiting.conversation.abort();
      }
      parked.clear();
    },
  };
}

interface Conversation {
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

function createConversation(first: Exchange): Conversation {
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

function countOf(parked: ReadonlyMap<string, Parked>, sessionId: string): number {
  let count = 0;
  for (const waiting of parked.values()) if (waiting.sessionId === sessionId) count += 1;
  return count;
}
