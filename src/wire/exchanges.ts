import {
  type Answer,
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
  readonly signal: AbortSignal;
  readonly logLevel: LogLevel | undefined;
  readonly asking: 'live' | 'rounds';
  ask(question: Question): Promise<Answer>;
}

/** The live line of one request. Nothing is sent after the caller has left. */
export function createExchange(parts: ExchangeParts): Exchange {
  const token = progressToken(parts.params);
  const send = (method: string, params: string): void => {
    if (!parts.signal.aborted) parts.line.send(notificationText(method, params));
  };
  return {
    signal: parts.signal,
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
    ask: (question) => parts.ask(question),
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
