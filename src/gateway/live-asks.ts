import {
  type Call,
  createFault,
  type Exchange,
  faulted,
  JsonText,
  membersOf,
  type Outcome,
  type Provider,
  type Question,
  questionMethods,
  textOf,
} from '../kernel/index.js';
import { withAnswers } from './admit.js';

const maxRounds = 16;

/** Calls a provider for a caller that can be asked on the spot: each round of questions is put to it at once. */
export async function callWithLiveAsks(provider: Provider, call: Call, exchange: Exchange): Promise<Outcome> {
  let current = call;
  for (let round = 0; round < maxRounds; round += 1) {
    const outcome = await provider.call(current, exchange);
    if (outcome.kind !== 'asks') return outcome;
    const answered = await answersTo(outcome.questions, exchange);
    if (answered.kind === 'fault') return answered;
    current = withAnswers(current, {
      responses: answered.responses,
      ...(outcome.state !== undefined && { state: outcome.state }),
    });
  }
  return faulted(createFault('ask.too_many', 'The tool kept asking questions without coming to a result.'));
}

type Answered =
  | { readonly kind: 'answers'; readonly responses: JsonText }
  | (Outcome & { readonly kind: 'fault' });

async function answersTo(questions: JsonText, exchange: Exchange): Promise<Answered> {
  const keys: string[] = [];
  const asked: Question[] = [];
  for (const member of membersOf(questions.text)) {
    const question = readQuestion(questions.text.slice(member.start, member.end));
    if (question === undefined) return malformed();
    if (!exchange.canAnswer(question.method)) return unsupported(question);
    keys.push(member.key);
    asked.push(question);
  }
  const answers = await Promise.all(asked.map((question) => exchange.ask(question)));
  const parts: string[] = [];
  for (const [at, answer] of answers.entries()) {
    if (answer.kind === 'refused') return refused(answer.error);
    parts.push(`${JSON.stringify(keys[at])}:${answer.result.text}`);
  }
  return { kind: 'answers', responses: new JsonText(`{${parts.join(',')}}`) };
}

function refused(error: JsonText): Answered {
  return { kind: 'fault', fault: createFault('upstream.error', 'The client refused.', { upstream: error }) };
}

function readQuestion(text: string): Question | undefined {
  const members = membersOf(text);
  const methodText = textOf(text, members, 'method');
  const method = questionMethods.find((known) => JSON.stringify(known) === methodText);
  return method && { method, params: new JsonText(textOf(text, members, 'params') ?? '{}') };
}

function malformed(): Answered {
  return {
    kind: 'fault',
    fault: createFault('provider.malformed', 'The server asked something that the protocol does not know.'),
  };
}

function unsupported(question: Question): Answered {
  const capability = question.method.split('/')[0] ?? question.method;
  return {
    kind: 'fault',
    fault: createFault('ask.unsupported', `This tool needs a client that supports ${capability}.`, {
      data: { requiredCapabilities: { [capability]: {} } },
    }),
  };
}
