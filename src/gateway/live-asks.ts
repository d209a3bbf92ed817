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
  const parts: string[] = [];
  for (const member of membersOf(questions.text)) {
    const text = questions.text.slice(member.start, member.end);
    const question = readQuestion(text);
    if (question === undefined) return malformed();
    if (!exchange.canAnswer(question.method)) return unsupported(question);
    const answer = await exchange.ask(question);
    if (answer.kind === 'refused') {
      return {
        kind: 'fault',
        fault: createFault('upstream.error', 'The client refused.', { upstream: answer.error }),
      };
    }
    parts.push(`${JSON.stringify(member.key)}:${answer.result.text}`);
  }
  return { kind: 'answers', responses: new JsonText(`{${parts.join(',')}}`) };
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
