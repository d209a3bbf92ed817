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

export type Asks = Extract<Outcome, { kind: 'asks' }>;

/** Asks the client during the call, and calls the provider again with the answers. Each round is sent at once. */
export async function callWithAnswers(
  provider: Provider,
  call: Call,
  exchange: Exchange,
  first: Asks,
): Promise<Outcome> {
  let current = call;
  let asks = first;
  for (let round = 1; round <= maxRounds; round += 1) {
    const answered = await answersTo(asks.questions, exchange);
    if (!answered.ok) return faulted(answered.fault);
    // A call that asks once more than it may is not made again.
    if (round === maxRounds) break;
    current = withAnswers(current, {
      responses: answered.responses,
      ...(asks.state !== undefined && { state: asks.state }),
    });
    const outcome = await provider.call(current, exchange);
    if (outcome.kind !== 'asks') return outcome;
    asks = outcome;
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
