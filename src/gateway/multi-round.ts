import { randomUUID } from 'node:crypto';
import {
  createFault,
  type Exchange,
  type Fault,
  faulted,
  type Outcome,
  type Request,
} from '../core/index.js';
import type { Continued } from './admit.js';
import { type Conversation, createConversation } from './conversation.js';
import type { StateSeal } from './state-seal.js';

/** Multi-round input: parks a call until the client comes back with answers. */
export interface MultiRound {
  run(
    request: Request,
    exchange: Exchange,
    start: (exchange: Exchange) => Promise<Outcome>,
  ): Promise<Outcome>;
  /** What the request continues: nothing, a call parked here, or an input round of the upstream. */
  continued(request: Request): Continued | { readonly fault: Fault };
  resume(request: Request, exchange: Exchange, parkedId: string): Promise<Outcome>;
  close(): void;
}

const maxParked = 1000;
const maxParkedPerSession = 64;
/** A parked call keeps its params. Together they must not fill the memory. */
const maxParkedChars = 128 * 1024 * 1024;
const maxParkedCharsPerSession = 16 * 1024 * 1024;
const waitMs = 10 * 60_000;

interface Parked {
  readonly sessionId: string;
  readonly chars: number;
  readonly conversation: Conversation;
  readonly done: Promise<Outcome>;
  readonly timer: NodeJS.Timeout;
}

const expired = createFault('ask.expired', 'This request has expired. Retry the call.');
const forged = createFault('ask.forged', 'requestState is invalid: Tidegate did not issue it for this call.');

export function openMultiRound(seal: StateSeal): MultiRound {
  const parked = new Map<string, Parked>();

  /** `kept`: the length of the params that the call began with, which it keeps. */
  function park(request: Request, conversation: Conversation, done: Promise<Outcome>, kept: number): Outcome {
    const chars = Math.max(kept, request.params.text.length);
    if (!hasRoom(parked, request.session.id, chars)) {
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
    parked.set(id, { sessionId: request.session.id, chars, conversation, done, timer });
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
    kept: number,
  ): Promise<Outcome> {
    const first = await Promise.race([done, conversation.asked()]);
    if (first !== 'asked') return first;
    return conversation.isOver() ? done : park(request, conversation, done, kept);
  }

  return {
    run(request, exchange, start) {
      const conversation = createConversation(exchange);
      const done = start(conversation.exchange).then((outcome) => sealed(seal, request, outcome));
      return next(request, conversation, done, request.params.text.length);
    },
    continued: (request) => continuedBy(seal, request),
    async resume(request, exchange, id) {
      const waiting = parked.get(id);
      if (waiting?.sessionId !== request.session.id) {
        return faulted(expired);
      }
      parked.delete(id);
      clearTimeout(waiting.timer);
      waiting.conversation.attach(exchange);
      waiting.conversation.answer(request.resume?.responses ?? request.params);
      return next(request, waiting.conversation, waiting.done, waiting.chars);
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

function continuedBy(seal: StateSeal, request: Request): Continued | { readonly fault: Fault } {
  const { resume } = request;
  if (resume === undefined) return { resumed: false };
  if (resume.state === undefined) return { resumed: false, answers: resume };
  const opened = seal.open(request, resume.state);
  if (!opened.ok) return { fault: opened.reason === 'expired' ? expired : forged };
  if (opened.state.kind === 'parked') return { resumed: true, parkedId: opened.state.id };
  const { responses } = resume;
  const { state } = opened.state;
  return { resumed: true, answers: { responses, ...(state !== undefined && { state }) } };
}

/** The state of an upstream leaves only under our seal. */
function sealed(seal: StateSeal, request: Request, outcome: Outcome): Outcome {
  if (outcome.kind !== 'asks') return outcome;
  const { state } = outcome;
  return {
    ...outcome,
    state: seal.close(request, { kind: 'upstream', ...(state !== undefined && { state }) }),
  };
}

function hasRoom(parked: ReadonlyMap<string, Parked>, sessionId: string, chars: number): boolean {
  let all = chars;
  let own = chars;
  let count = 0;
  for (const waiting of parked.values()) {
    all += waiting.chars;
    if (waiting.sessionId !== sessionId) continue;
    own += waiting.chars;
    count += 1;
  }
  const isFewEnough = parked.size < maxParked && count < maxParkedPerSession;
  return isFewEnough && all <= maxParkedChars && own <= maxParkedCharsPerSession;
}
