import {
  type Call,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  type Outcome,
  type Provider,
  type Question,
} from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import { withAnswers } from './admit.js';
import { readQuestions, unanswerable } from './questions.js';

const maxRounds = 16;

/** Calls a provider for a client that can be asked during the call. Each round of questions is sent at once. */
export async function callWithLiveAsks(provider: Provider, call: Call, exchange: Exchange): Promise<Outcome> {
  let current = call;
  for (let round = 0; round < maxRounds; round += 1) {
    const outcome = await provider.call(current, exchange);
    if (outcome.kind !== 'asks') return outcome;
    const answered = await answersTo(outcome.questions, exchange);
    if (!answered.ok) return faulted(answered.fault);
    current = withAnswers(current, {
      responses: answered.responses,
      ...(outcome.state !== undefined && { state: outcome.state }),
    });
  }
  return faulted(createFault('ask.too_many', 'The tool kept asking for input without returning a result.'));
}

type Answered =
  | { readonly ok: true; readonly responses: JsonText }
  | { readonly ok: false; readonly fault: Fault };

async function answersTo(questions: JsonText, exchange: Exchange): Promise<Answered> {
  const keys: string[] = [];
  const asked: Question[] = [];
  for (const { key, question } of readQuestions(questions)) {
    if (question === undefined) return { ok: false, fault: unknownQuestion() };
    const problem = unanswerable(question, exchange);
    if (problem !== undefined) return { ok: false, fault: problem };
    keys.push(key);
    asked.push(question);
  }
  const answers = await Promise.all(asked.map((question) => exchange.ask(question)));
  const parts: string[] = [];
  for (const [at, answer] of answers.entries()) {
    if (answer.kind === 'refused') return { ok: false, fault: refused(answer.error) };
    parts.push(`${JSON.stringify(keys[at])}:${answer.result.text}`);
  }
  return { ok: true, responses: new JsonText(`{${parts.join(',')}}`) };
}

function refused(error: JsonText): Fault {
  return createFault('upstream.error', 'The client declined to answer.', { upstream: error });
}

function unknownQuestion(): Fault {
  return createFault(
    'provider.malformed',
    'The server sent a request for input that the protocol does not define.',
  );
}
