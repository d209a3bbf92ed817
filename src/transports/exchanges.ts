import {
  type Answer,
  type Client,
  type Exchange,
  type LogLevel,
  logLevels,
  type Question,
  type QuestionMethod,
} from '../core/index.js';
import type { Cancellation } from '../lib/cancellation.js';
import { JsonText, withMembers } from '../lib/json-text.js';
import { notificationText } from '../lib/json-rpc.js';
import type { ReplyLine } from './framing/reply-line.js';
import { progressToken } from './requests.js';

/** What the exchange needs to know of the request and of the client. */
export interface ExchangeRequest {
  readonly line: ReplyLine;
  readonly caller: Cancellation;
}

export interface ExchangeFace<R extends ExchangeRequest> {
  readonly client: Client;
  readonly logLevel: LogLevel | undefined;
  readonly asking: 'live' | 'rounds';
  ask(question: Question, asked: R): Promise<Answer>;
}

/** An exchange that can be ended when the call is over. */
export interface LiveExchange extends Exchange {
  hangUp(): void;
}

/** The live exchange of one request. Sends nothing after the caller has left or the call is over. */
export function createExchange<R extends ExchangeRequest>(
  params: JsonText,
  asked: R,
  face: ExchangeFace<R>,
): LiveExchange {
  return new Live(params, asked, face);
}

/** A class, because creating an object literal with getters for every call is slow. */
class Live<R extends ExchangeRequest> implements LiveExchange {
  readonly wantsProgress: boolean;
  readonly logLevel: LogLevel | undefined;
  readonly asking: 'live' | 'rounds';
  readonly #asked: R;
  readonly #face: ExchangeFace<R>;
  readonly #token: string | undefined;
  #isOver = false;

  constructor(params: JsonText, asked: R, face: ExchangeFace<R>) {
    this.#asked = asked;
    this.#face = face;
    this.#token = progressToken(params);
    this.wantsProgress = this.#token !== undefined;
    this.logLevel = face.logLevel;
    this.asking = face.asking;
  }

  get isCancelled(): boolean {
    return this.#asked.caller.isCancelled;
  }

  get signal(): AbortSignal {
    return this.#asked.caller.signal;
  }

  onCancel(listener: () => void): () => void {
    return this.#asked.caller.onCancel(listener);
  }

  progress(params: JsonText): void {
    if (this.#token === undefined) return;
    this.#send('notifications/progress', withMembers(params.text, { progressToken: this.#token }));
  }

  log(level: LogLevel, params: JsonText): void {
    if (isLoud(level, this.logLevel)) this.#send('notifications/message', params.text);
  }

  canAnswer(method: QuestionMethod): boolean {
    return canAnswer(this.#face.client, method);
  }

  ask(question: Question): Promise<Answer> {
    if (this.#isOver) return Promise.resolve(refusedAnswer('the call is over'));
    if (this.canAnswer(question.method)) return this.#face.ask(question, this.#asked);
    return Promise.resolve(refusedAnswer(`the client does not support ${question.method}`));
  }

  hangUp(): void {
    this.#isOver = true;
  }

  #send(method: string, params: string): void {
    if (!this.#isOver && !this.isCancelled) this.#asked.line.send(notificationText(method, params));
  }
}

function isLoud(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}

const capabilityOf: Readonly<Record<QuestionMethod, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

export function canAnswer(client: Client, method: QuestionMethod): boolean {
  const declared = (client.capabilities.value as Readonly<Record<string, unknown>>)[capabilityOf[method]];
  return typeof declared === 'object' && declared !== null;
}

/** The answer to a question that this caller does not support. */
export function refusedAnswer(message: string): Answer {
  return { kind: 'refused', error: JsonText.from({ code: -32603, message }) };
}
