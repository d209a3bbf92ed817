import { type Answer, type Exchange, type QuestionMethod, questionMethods } from '../../core/index.js';
import { errorText, type Frame, type RawId, resultText } from '../../lib/json-rpc.js';
import { JsonText } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import type { InFlight, Pending } from './in-flight.js';
import { createOpenQuestions } from './open-questions.js';
import type { Clock } from './options.js';
import { type RootsRule, rootsText } from './roots.js';

type RequestFrame = Extract<Frame, { readonly kind: 'request' }>;

export interface QuestionParts {
  readonly inFlight: InFlight;
  readonly send: (text: string) => void;
  readonly roots: RootsRule | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The server asked while several sessions had calls in flight. */
  readonly onUnattributable: () => void;
  /** No other caller can be asked, because the server never answered abandoned calls. */
  readonly onBlocked: () => void;
  /** The caller left a question open too long while others waited. */
  readonly onHeld: (pending: Pending, isForOtherPrincipal: boolean) => void;
}

/** Requests from a legacy server. They go to the call that they belong to, or are refused at once. */
export interface Questions {
  receive(frame: RequestFrame, carrier: number | undefined): void;
  /** The server cancels a question. */
  withdraw(id: RawId): void;
  /** The call has ended, so its open questions are refused. */
  ended(pending: Pending): void;
}

export function createQuestions(parts: QuestionParts): Questions {
  const { inFlight, send, clock } = parts;
  const open = createOpenQuestions(inFlight, clock);

  function refuse(id: RawId, code: number, message: string, data?: object): void {
    send(errorText(id, JSON.stringify({ code, message, data })));
  }

  /** If the server passes this error on, a modern client learns exactly which capability it lacks. */
  function refuseIncapable(id: RawId, method: QuestionMethod): void {
    const capability = method.split('/')[0] ?? method;
    const data = { requiredCapabilities: { [capability]: {} } };
    refuse(id, -32021, `The client does not support ${method}.`, data);
  }

  function ask(frame: RequestFrame, method: QuestionMethod, pending: Pending, exchange: Exchange): void {
    if (open.has(frame.id)) return refuse(frame.id, -32600, 'This id is already in use.');
    if (open.isFull) return refuse(frame.id, -32603, 'Too many questions are open.');
    open.add(frame.id, pending, () => refuse(frame.id, -32603, 'The caller did not answer in time.'));
    const question = { method, params: frame.params ?? new JsonText('{}') };
    exchange.ask(question).then(
      (answer) => answered(frame.id, pending, answer),
      (error: unknown) => answered(frame.id, pending, refusal(error)),
    );
  }

  function answered(id: RawId, pending: Pending, answer: Answer): void {
    // The id may have been reused since, so make sure that this is still the same question.
    if (open.pendingOf(id) !== pending) return;
    open.take(id);
    send(answer.kind === 'answer' ? resultText(id, answer.result.text) : errorText(id, answer.error.text));
  }

  function answerRoots(id: RawId): void {
    if (parts.roots?.kind === 'folders') return send(resultText(id, rootsText(parts.roots.folders)));
    refuse(id, -32601, 'Method not found: roots/list. No roots are configured for this server.');
  }

  function receiveQuestion(frame: RequestFrame, method: QuestionMethod, carrier: number | undefined): void {
    // All sessions share this server, so roots come from the operator, never from a caller.
    if (method === 'roots/list') return answerRoots(frame.id);
    const owner = inFlight.ownerOf(carrier);
    if (owner.kind === 'one' && owner.exchange.canAnswer(method)) {
      return ask(frame, method, owner.pending, owner.exchange);
    }
    if (owner.kind === 'one') return refuseIncapable(frame.id, method);
    if (owner.kind === 'none')
      return refuse(frame.id, -32603, 'This request does not belong to a call in flight.');
    parts.log('warn', 'the server sent a request that could belong to several sessions', { method });
    parts.onUnattributable();
    open.contest(parts.onHeld);
    refuse(frame.id, -32603, 'This request could belong to several calls in flight. Retry the call.');
    if (inFlight.isBlockedByGivenUp()) parts.onBlocked();
  }

  return {
    receive(frame, carrier) {
      if (frame.method === 'ping') return send(resultText(frame.id, '{}'));
      const method = questionMethods.find((known) => known === frame.method);
      if (method === undefined) refuse(frame.id, -32601, `Method not found: ${frame.method}`);
      else receiveQuestion(frame, method, carrier);
    },
    withdraw: (id) => open.take(id),
    ended(pending) {
      for (const id of open.takeAllOf(pending))
        refuse(id, -32603, 'The call that this request belongs to has ended.');
    },
  };
}

function refusal(error: unknown): Answer {
  const message = error instanceof Error ? error.message : 'The question could not be sent to the caller.';
  return { kind: 'refused', error: JsonText.from({ code: -32603, message }) };
}
