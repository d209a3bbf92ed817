import {
  createFault,
  type Exchange,
  type Fault,
  JsonText,
  membersOf,
  type Question,
  questionMethods,
  textOf,
} from '../kernel/index.js';

interface KeyedQuestion {
  readonly key: string;
  /** Undefined for something that the protocol does not know. */
  readonly question: Question | undefined;
}

/** The questions of an outcome, in the order in which they were asked. */
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

/** Why this caller cannot be asked that, or undefined when it can. */
export function unanswerable(question: Question, exchange: Exchange): Fault | undefined {
  if (exchange.canAnswer(question.method)) return undefined;
  const capability = question.method.split('/')[0] ?? question.method;
  return createFault('ask.unsupported', `This tool needs a client that supports ${capability}.`, {
    data: { requiredCapabilities: { [capability]: {} } },
  });
}
