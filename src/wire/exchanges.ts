import {
  type Answer,
  type Cancellation,
  type Client,
  type Exchange,
  JsonText,
  type LogLevel,
  logLevels,
  notificationText,
  type Question,
  type QuestionMethod,
  withMembers,
} from '../kernel/index.js';
import type { ReplyLine } from './framing/reply-line.js';
import { progressToken } from './requests.js';

export interface ExchangeParts {
  readonly params: JsonText;
  readonly client: Client;
  readonly line: ReplyLine;
  readonly caller: Cancellation;
  readonly logLevel: LogLevel | undefined;
  readonly asking: 'live' | 'rounds';
  ask(question: Question): Promise<Answer>;
}

/** The live line of one request. Nothing is sent after the caller has left, or after we hung up. */
export function createExchange(parts: ExchangeParts): {
  readonly exchange: Exchange;
  readonly hangUp: () => void;
} {
  const { caller } = parts;
  const token = progressToken(parts.params);
  let isOver = false;
  const send = (method: string, params: string): void => {
    if (!isOver && !caller.isCancelled) parts.line.send(notificationText(method, params));
  };
  const exchange: Exchange = {
    get isCancelled() {
      return caller.isCancelled;
    },
    onCancel: (listener) => caller.onCancel(listener),
    get signal() {
      return caller.signal;
    },
    wantsProgress: token !== undefined,
    logLevel: parts.logLevel,
    asking: parts.asking,
    progress(params) {
      if (token === undefined) return;
      send('notifications/progress', withMembers(params.text, { progressToken: token }));
    },
    log(level, params) {
      if (isLoud(level, parts.logLevel)) send('notifications/message', params.text);
    },
    canAnswer: (method) => canAnswer(parts.client, method),
    ask(question) {
      if (isOver) return Promise.resolve(refusedAnswer('the call is over'));
      if (canAnswer(parts.client, question.method)) return parts.ask(question);
      return Promise.resolve(refusedAnswer(`the client does not support ${question.method}`));
    },
  };
  return {
    exchange,
    hangUp() {
      isOver = true;
    },
  };
}

function isLoud(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}

const capabilityOf: Readonly<Record<QuestionMethod, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

function canAnswer(client: Client, method: QuestionMethod): boolean {
  const declared = (client.capabilities.value as Readonly<Record<string, unknown>>)[capabilityOf[method]];
  return typeof declared === 'object' && declared !== null;
}

/** What a question gets that this caller can never answer. */
export function refusedAnswer(message: string): Answer {
  return { kind: 'refused', error: JsonText.from({ code: -32603, message }) };
}
