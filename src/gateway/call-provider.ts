import {
  type Call,
  createFault,
  type Exchange,
  faulted,
  type Outcome,
  type Provider,
} from '../core/index.js';
import type { Cancellation } from '../lib/cancellation.js';
import { callWithLiveAsks } from './live-asks.js';
import { readQuestions, unanswerable } from './questions.js';

/** Calls the provider. Stops waiting when the caller is gone; the target may still finish its work. */
export function callProvider(provider: Provider, call: Call, exchange: Exchange): Promise<Outcome> {
  if (exchange.isCancelled) return Promise.resolve(cancelled);
  const answer =
    exchange.asking === 'live'
      ? callWithLiveAsks(provider, call, exchange)
      : callMultiRound(provider, call, exchange);
  return untilCancelled(exchange, answer);
}

const cancelled = faulted(createFault('call.cancelled', 'The call was cancelled.'));

function untilCancelled(caller: Cancellation, answer: Promise<Outcome>): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const stop = caller.onCancel(() => resolve(cancelled));
    answer.finally(stop).then(resolve, reject);
  });
}

/** Multi-round callers are only asked for input that they declared they can give. */
async function callMultiRound(provider: Provider, call: Call, exchange: Exchange): Promise<Outcome> {
  const outcome = await provider.call(call, exchange);
  if (outcome.kind !== 'asks') return outcome;
  for (const { question } of readQuestions(outcome.questions)) {
    const problem = question && unanswerable(question, exchange);
    if (problem) return faulted(problem);
  }
  return outcome;
}
