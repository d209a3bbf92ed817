import { pathToFileURL } from 'node:url';
import {
  type Answer,
  errorText,
  type Exchange,
  type Frame,
  JsonText,
  type Log,
  type QuestionMethod,
  questionMethods,
  type RawId,
  resultText,
} from '../../kernel/index.js';
import type { InFlight, Pending } from './in-flight.js';
import type { Clock } from './options.js';

type RequestFrame = Extract<Frame, { readonly kind: 'request' }>;

export interface QuestionParts {
  readonly inFlight: InFlight;
  readonly send: (text: string) => void;
  readonly roots: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** The server asked while several sessions had calls in flight. */
  readonly onUnattributable: () => void;
}

/** What a legacy server asks: carried to the call that it belongs to, or refused at once. */
export interface Questions {
  receive(frame: RequestFrame, carrier: number | undefined): void;
  /** The server takes a question back. */
  withdraw(id: RawId): void;
  /** The call is over: whoever still waits for its caller is told so. */
  ended(pending: Pending): void;
}

const maxOpen = 64;
const answerMs = 15 * 60_000;

interface Open {
  readonly pending: Pending;
  readonly stop: () => void;
}

export function createQuestions(parts: QuestionParts): Questions {
  const { inFlight, send, clock } = parts;
  const open = new Map<RawId, Open>();

  function refuse(id: RawId, code: number, message: string, data?: object): void {
    send(errorText(id, JSON.stringify({ code, message, data })));
  }

  /** A server that passes this error on tells a modern client exactly what it lacks. */
  function refuseIncapable(id: RawId, method: QuestionMethod): void {
    const capability = method.split('/')[0] ?? method;
    const data = { requiredCapabilities: { [capability]: {} } };
    refuse(id, -32021, `The client does not support ${method}.`, data);
  }

  function take(id: RawId): Open | undefined {
    const found = open.get(id);
    open.delete(id);
    found?.stop();
    return found;
  }

  function ask(frame: RequestFrame, method: QuestionMethod, pending: Pending, exchange: Exchange): void {
    if (open.has(frame.id)) return refuse(frame.id, -32600, 'This id is in use.');
    if (open.size >= maxOpen) return refuse(frame.id, -32603, 'Too many questions are open.');
    const resume = inFlight.asked(pending);
    const askedAt = clock.now();
    const cancelTimer = clock.after(answerMs, () => expire(frame.id), true);
    const stop = (): void => {
      cancelTimer();
      resume(clock.now() - askedAt);
    };
    open.set(frame.id, { pending, stop });
    const question = { method, params: frame.params ?? new JsonText('{}') };
    exchange.ask(question).then(
      (answer) => answered(frame.id, pending, answer),
      (error: unknown) => answered(frame.id, pending, refusal(error)),
    );
  }

  function answered(id: RawId, pending: Pending, answer: Answer): void {
    // The id may have been used again since: only the question that was asked may be answered.
    if (open.get(id)?.pending !== pending) return;
    take(id);
    send(answer.kind === 'answer' ? resultText(id, answer.result.text) : errorText(id, answer.error.text));
  }

  function expire(id: RawId): void {
    if (take(id)) refuse(id, -32603, 'The caller gave no answer in time.');
  }

  function receiveQuestion(frame: RequestFrame, method: QuestionMethod, carrier: number | undefined): void {
    const owner = inFlight.ownerOf(carrier);
    if (owner.kind === 'one' && owner.exchange.canAnswer(method)) {
      return ask(frame, method, owner.pending, owner.exchange);
    }
    // Our own folders tell no caller's secret, so they serve wherever no caller can say.
    if (method === 'roots/list') return send(resultText(frame.id, rootsText(parts.roots)));
    if (owner.kind === 'one') return refuseIncapable(frame.id, method);
    if (owner.kind === 'none')
      return refuse(frame.id, -32603, 'No call is in flight that this could belong to.');
    parts.log('warn', 'the server asked something that could belong to several sessions', { method });
    parts.onUnattributable();
    refuse(frame.id, -32603, 'This cannot be attributed to one of the calls in flight; make the call again.');
  }

  return {
    receive(frame, carrier) {
      if (frame.method === 'ping') return send(resultText(frame.id, '{}'));
      const method = questionMethods.find((known) => known === frame.method);
      if (method === undefined) refuse(frame.id, -32601, `Method not found: ${frame.method}`);
      else receiveQuestion(frame, method, carrier);
    },
    withdraw: (id) => void take(id),
    ended(pending) {
      for (const [id, waiting] of open) {
        if (waiting.pending !== pending) continue;
        take(id);
        refuse(id, -32603, 'The call that this belongs to is over.');
      }
    },
  };
}

function refusal(error: unknown): Answer {
  const message = error instanceof Error ? error.message : 'The question could not be put to the caller.';
  return { kind: 'refused', error: JsonText.from({ code: -32603, message }) };
}

function rootsText(roots: readonly string[]): string {
  return JSON.stringify({ roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) });
}
