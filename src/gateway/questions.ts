import { createFault, type Exchange, type Fault, type Question, questionMethods } from '../core/index.js';
import { JsonText, membersOf, textOf } from '../lib/json-text.js';

interface KeyedQuestion {
  readonly key: string;
  /** Undefined if the protocol does not define it. */
  readonly question: Question | undefined;
}

/** The questions of an outcome, in order. */
export function readQuestions({ text }: JsonText): readonly KeyedQuestion[] {
  return membersOf(text).map(({ key, start, end }) => ({
    key,
    question: readQuestion(text.slice(start, end)),
  }));
}

function readQuestion(text: string): Question | undefined {
  const members = membersOf(text);
  const methodText = textOf(text, members, 'method');
  const method = questionMethods.find((known) => JSON.stringify(known) === methodText);
  return method && { method, params: new JsonText(textOf(text, members, 'params') ?? '{}') };
}

/** The fault if this client cannot answer the question. */
export function unanswerable(question: Question, exchange: Exchange): Fault | undefined {
  if (exchange.canAnswer(question.method)) return undefined;
  const capability = question.method.split('/')[0] ?? question.method;
  return createFault('ask.unsupported', `This tool needs a client that supports ${capability}.`, {
    data: { requiredCapabilities: { [capability]: {} } },
  });
}
